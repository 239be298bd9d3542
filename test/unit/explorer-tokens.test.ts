import { afterEach, describe, expect, it, vi } from "vitest";
import type { Token } from "../../client/src/api";
import type { Reads } from "../../explorer/reads";
import { keepTokens, readTokens, tokensIn } from "../../explorer/tokens";

const addressOf = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, "0")}`;
const tokenOf = (address: string, source: Token["source"] = "contract"): Token => ({
  address: address as Token["address"],
  chain_id: 31_337,
  symbol: "OWN",
  name: null,
  decimals: 6,
  source,
});

/** A client that has only the tokens. */
const clientOf = (query: (address: string) => Promise<Token>) =>
  ({ tokens: { get: { query: ({ address }: { address: string }) => query(address) } } }) as unknown as Reads;

const unexpected = (error: unknown) => {
  throw error;
};

afterEach(() => {
  vi.useRealTimers();
});

describe("the tokens of a page", () => {
  it("are those that its data names, once each, in their order", () => {
    const [one, two, three] = [addressOf(1), addressOf(2), addressOf(3)];
    const intents = [{ input_token: one, output_token: two, owner: addressOf(9) }, { input_token: two }];
    expect(tokensIn({ intents, search: [{ price_token: three }, { price_token: null }], token: one })).toEqual([
      one,
      two,
      three,
    ]);
    expect(tokensIn({ args: { token: "0x12" }, token: "x" })).toEqual([]);
  });

  it("are read at the same time, and at most 20 of them", async () => {
    const asked: string[] = [];
    const client = clientOf(async (address) => {
      asked.push(address);
      return tokenOf(address);
    });
    const all = Array.from({ length: 50 }, (_, index) => addressOf(index + 1));
    const tokens = await readTokens(client, all, unexpected);
    expect(asked).toEqual(all.slice(0, 20));
    expect(tokens.map(({ address }) => address)).toEqual(asked);
  });

  it("are not read again if they are kept, apart from those that may become known", async () => {
    const asked: string[] = [];
    const client = clientOf(async (address) => {
      asked.push(address);
      return tokenOf(address);
    });
    keepTokens(client, [tokenOf(addressOf(1), "list"), tokenOf(addressOf(2), "pending")]);
    const tokens = await readTokens(client, [addressOf(1), addressOf(2)], unexpected);
    expect(asked).toEqual([addressOf(2)]);
    expect(tokens).toEqual([tokenOf(addressOf(1), "list"), tokenOf(addressOf(2))]);
  });

  it("are missing if they can't be read, which is reported and does not fail the page", async () => {
    const failures: unknown[] = [];
    const client = clientOf(async (address) => {
      if (address === addressOf(1)) throw new Error("away");
      return tokenOf(address);
    });
    const tokens = await readTokens(client, [addressOf(1), addressOf(2)], (error) => failures.push(error));
    expect(tokens).toEqual([tokenOf(addressOf(2))]);
    expect(failures).toEqual([new Error("away")]);
  });

  it("are missing if their contract takes too long", async () => {
    vi.useFakeTimers();
    const client = clientOf((address) =>
      address === addressOf(1) ? new Promise(() => {}) : Promise.resolve(tokenOf(address)),
    );
    const tokens = readTokens(client, [addressOf(1), addressOf(2)], unexpected);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await tokens).toEqual([tokenOf(addressOf(2))]);
  });

  it("are read once by a client if they are known, and again if they are not", async () => {
    const asked: string[] = [];
    const client = clientOf(async (address) => {
      asked.push(address);
      return tokenOf(address, address === addressOf(1) ? "list" : "pending");
    });
    for (let load = 0; load < 2; load++) await readTokens(client, [addressOf(1), addressOf(2)], unexpected);
    expect(asked).toEqual([addressOf(1), addressOf(2), addressOf(2)]);
  });
});
