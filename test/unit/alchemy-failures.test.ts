import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPortfolio } from "../../api/portfolio/portfolio";
import { alchemyProvider } from "../../api/portfolio/providers/alchemy/provider";
import { type AlchemyServer, row, tokensReply } from "./alchemy-server";
import { AlchemyWallet, apiKey, ether, wallet } from "./alchemy-wallet";

const spam = `0x${"5a".repeat(20)}`;
const other = `0x${"77".repeat(20)}`;

const alchemy = AlchemyWallet.ofFile();

describe("an error within Alchemy's response", () => {
  it("fails only its own chain", async () => {
    alchemy.server.answer({
      tokens: () =>
        tokensReply([
          row("base-mainnet", null, ether),
          { ...row("eth-mainnet", null, 0n), tokenBalance: null, error: `no node at https://x/${apiKey}` },
        ]),
    });
    const readings = await alchemy.read(["ethereum", "base"]);
    expect(readings).toMatchObject([
      { chain: "ethereum", ok: false, reason: "could not be read: the provider returned an error for this chain" },
      { chain: "base", ok: true, complete: true },
    ]);
  });

  it("is a warning if the chain has other tokens", async () => {
    alchemy.server.answer({
      tokens: () =>
        tokensReply([
          row("base-mainnet", null, ether),
          row("base-mainnet", spam, 1n, { error: "token not found" }),
          row("base-mainnet", other, 1n, { tokenBalance: "12" }),
        ]),
    });
    const { holdings, complete, warnings } = await alchemy.readOk("base");
    expect(holdings).toHaveLength(1);
    expect(complete).toBe(false);
    expect(warnings).toEqual(["2 of the provider's entries could not be read and are left out"]);
  });

  it("fails every chain if it names none", async () => {
    alchemy.server.answer({ tokens: () => tokensReply([row("base-mainnet", null, ether), { nonsense: true }, null]) });
    expect((await alchemy.readOk("base")).warnings).toEqual([
      "2 of the provider's entries could not be read and are left out",
    ]);
  });

  it("in addition to tokens makes the list incomplete", async () => {
    alchemy.server.answer({
      tokens: () => ({ body: { data: { tokens: [row("base-mainnet", null, 1n)] }, error: { message: "partial" } } }),
    });
    expect(await alchemy.readOk("base")).toMatchObject({ complete: false });
  });
});

describe("a failing Alchemy", () => {
  const reasonOf = async (milliseconds?: number) => {
    const [reading] = await alchemy.read(["base"], milliseconds);
    return reading?.ok ? undefined : reading?.reason;
  };

  it.each([
    ["an HTML page", { body: "<html>" }, "did not return JSON"],
    ["another shape", { body: { tokens: [] } }, "returned an unexpected response"],
    ["null", { body: "null" }, "returned an unexpected response"],
    ["a wrong key", { status: 401, body: { error: apiKey } }, "returned status 401"],
    ["a server error", { status: 500, body: "oops" }, "returned status 500"],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, "could not be reached"],
  ])("fails with our own message for %s", async (_, answer, sentence) => {
    alchemy.server.answer({ tokens: () => answer });
    expect(await reasonOf()).toBe(`could not be read: the provider ${sentence}`);
  });

  it("fails after a timeout when it never responds", async () => {
    alchemy.server.answer({ tokens: () => "never", transfers: () => "never" });
    expect(await reasonOf(300)).toBe("could not be read: the provider did not answer in time");
  });

  it("fails when the connection is refused", async () => {
    const nowhere = "http://127.0.0.1:1";
    const away = alchemyProvider({ apiKey, endpoints: { data: nowhere, rpc: () => nowhere }, report: () => {} });
    expect(await away.read(wallet, ["base"], AbortSignal.timeout(5_000))).toEqual([
      { chain: "base", ok: false, reason: "could not be read: the provider could not be reached" },
    ]);
  });

  it("is retried after a 429", async () => {
    let times = 0;
    alchemy.server.answer({
      tokens: () =>
        ++times < 3
          ? { status: 429, headers: { "retry-after": "0" } }
          : tokensReply([row("base-mainnet", null, ether)]),
    });
    expect((await alchemy.readOk("base")).holdings).toHaveLength(1);
    expect(alchemy.server.asked.tokens).toHaveLength(3);
  });

  it("is requested three times at most", async () => {
    alchemy.server.answer({ tokens: () => ({ status: 429, headers: { "retry-after": "0" } }) });
    expect(await reasonOf()).toBe("could not be read: the provider returned status 429");
    expect(alchemy.server.asked.tokens).toHaveLength(3);
  });

  it("does not have the local chain", async () => {
    const readings = await alchemy.read(["local", "base"]);
    expect(readings).toMatchObject([
      { chain: "local", ok: false, reason: "can't be read: the provider does not support this chain" },
      { chain: "base", ok: true },
    ]);
  });
});

describe("a rate limited Alchemy", () => {
  it("is retried after its Retry-After", async () => {
    let times = 0;
    alchemy.server.answer({
      tokens: () => (++times < 2 ? { status: 429, headers: { "retry-after": "1" } } : tokensReply([])),
    });
    const start = performance.now();
    await alchemy.readOk("base");
    expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  });

  /** Resolves when a Retry-After header is read. */
  const retryAfterIsRead = () => {
    const { get } = Headers.prototype;
    return new Promise<void>((resolve) => {
      const spy = vi.spyOn(Headers.prototype, "get").mockImplementation(function (this: Headers, name) {
        if (name === "retry-after") resolve();
        return get.call(this, name);
      });
      onTestFinished(() => spy.mockRestore());
    });
  };

  it("is not retried beyond the deadline", async () => {
    alchemy.server.answer({ tokens: () => ({ status: 429, headers: { "retry-after": "3600" } }) });
    const isRead = retryAfterIsRead();
    const deadline = new AbortController();
    const reading = alchemy.provider().read(wallet, ["base"], deadline.signal);
    await isRead;
    deadline.abort(new DOMException("The deadline has passed", "TimeoutError"));
    expect(await reading).toMatchObject([
      { ok: false, reason: "could not be read: the provider is rate limited beyond the time limit" },
    ]);
    expect(alchemy.server.asked.tokens).toHaveLength(1);
  });
});

describe("the key of Alchemy", () => {
  /** All text of an error, including its causes. */
  const shown = (error: unknown): string =>
    error instanceof Error
      ? [error.name, error.message, error.stack, JSON.stringify(error), shown(error.cause)].join(" ")
      : JSON.stringify(error ?? null);

  it.each<[string, Parameters<AlchemyServer["answer"]>[0], milliseconds?: number]>([
    ["works", {}],
    ["returns the key", { tokens: () => ({ status: 401, body: apiKey }) }],
    ["sends no JSON", { tokens: () => ({ body: apiKey }), transfers: () => ({ body: apiKey }) }],
    ["redirects to the key", { tokens: () => ({ status: 301, headers: { location: `http://127.0.0.1/${apiKey}` } }) }],
    ["never responds", { tokens: () => "never", transfers: () => "never" }, 300],
    ["returns errors", { tokens: () => tokensReply([row("base-mainnet", spam, 1n, { error: apiKey })]) }],
  ])("is in no response, no log and no error when it %s", async (_, handlers, milliseconds = 4_000) => {
    alchemy.server.answer(handlers);
    const { snapshot } = createPortfolio({
      provider: {
        ...alchemy.provider(),
        read: (address, chains) => alchemy.provider().read(address, chains, AbortSignal.timeout(milliseconds)),
      },
      cacheMs: 0,
    });
    const result = await snapshot(wallet, ["base"]).then(
      (made) => JSON.stringify(made),
      (error: unknown) => shown(error),
    );
    expect(alchemy.server.asked.tokens[0]?.path).toContain(apiKey);
    expect(result).not.toContain(apiKey);
    expect(shown(alchemy.reported)).not.toContain(apiKey);
  });
});
