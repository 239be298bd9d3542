import fc from "fast-check";
import { keccak256, recoverTypedDataAddress, serializeSignature } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, describe, expect, it } from "vitest";
import { freeCalls } from "../../api/operations/index";
import { createIntentryClient, documentHash, iterate, quoteHash, signIntent } from "../../client/src/index";
import { mutations } from "../../client/src/mutations";
import { secondsToWait } from "../../client/src/retry-link";
import { intentTypes } from "../../common/intent";
import { runs } from "../support/seed";
import { intent as anyIntent } from "./arbitrary-intent";
import { type Handler, json, serve } from "./stand-in";

/** The tRPC response of a failed call. */
const failed = (status: number, code: string, retryAfter?: number) => ({
  error: {
    message: "not now",
    code: -32029,
    data: { code, httpStatus: status, ...(retryAfter !== undefined && { retryAfter }) },
  },
});

describe("a client's calls", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());
  const service = async (handler: Handler) => {
    const started = await serve(handler);
    close = started.close;
    return started;
  };

  it("are batched if concurrent, with bigints as digits and the token", async () => {
    const { url, requests } = await service((_, __, response) =>
      json(response, 200, [{ result: { data: { agent_id: "1" } } }, { result: { data: { agent_id: "2" } } }]),
    );
    const intentry = createIntentryClient({ url: `${url}/`, token: "a-token-that-may-write" });
    const agents = await Promise.all([
      intentry.agents.get.query({ agentId: 2n ** 255n }),
      intentry.agents.get.query({ agentId: 2 }),
    ]);
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(["1", "2"]);
    expect(requests).toMatchObject([
      {
        method: "POST",
        url: "/trpc/agents.get,agents.get?batch=1",
        headers: { authorization: "Bearer a-token-that-may-write" },
      },
    ]);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ 0: { agentId: String(2n ** 255n) }, 1: { agentId: 2 } });
  });

  it("are retried after a 429, up to the limit of retries", async () => {
    let left = 2;
    const { url, requests } = await service((_, __, response) =>
      left-- > 0
        ? json(response, 429, [failed(429, "TOO_MANY_REQUESTS", 0)])
        : json(response, 200, [{ result: { data: { status: "ok" } } }]),
    );
    expect(await createIntentryClient({ url }).status.health.query()).toEqual({ status: "ok" });
    expect(requests).toHaveLength(3);
    left = 100;
    await expect(createIntentryClient({ url, retries: 1 }).status.health.query()).rejects.toThrow("not now");
    expect(requests).toHaveLength(5);
  });

  it("can be aborted while they wait for a retry", async () => {
    const { url, requests } = await service((_, __, response) =>
      json(response, 503, [failed(503, "SERVICE_UNAVAILABLE", 30)]),
    );
    const over = new AbortController();
    const waiting = expect(
      createIntentryClient({ url }).status.health.query(undefined, { signal: over.signal }),
    ).rejects.toThrow();
    await expect.poll(() => requests).toHaveLength(1);
    over.abort();
    await waiting;
    expect(requests).toHaveLength(1);
  });

  it("are split into request bodies below the service's limit", async () => {
    const { url, requests } = await service((_, body, response) =>
      json(
        response,
        200,
        Object.values(JSON.parse(body)).map((data) => ({ result: { data } })),
      ),
    );
    const { accounts, documents, preflight } = createIntentryClient({ url });
    const address = `0x${"0a".repeat(20)}`;
    const calldata = `0x${"ff".repeat(50 * 1024)}`;
    const text = "é".repeat(2_400);
    const sent = await Promise.all([
      ...[1, 2, 3].map(() => documents.publishCatalog.mutate({ catalog_json: calldata })),
      ...[1, 2, 3].map(() => preflight.check.query({ account: address, target: address, data: calldata })),
      ...Array.from({ length: 120 }, () => documents.publishCatalog.mutate({ catalog_json: text })),
      accounts.policies.query({ address }),
      accounts.policies.query({ address }),
    ]);
    expect(sent.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ catalog_json: calldata })));
    expect(sent.at(-1)).toEqual({ address });
    expect(Math.max(...requests.map(({ body }) => Buffer.byteLength(body)))).toBeLessThan(256 * 1024);
    const lengths = requests.map(({ body }) => Object.keys(JSON.parse(body)).length);
    expect(lengths.sort((a, b) => a - b)).toEqual([1, 1, 1, 1, 1, 1, 2, 20, 50, 50]);
  });

  it.each([
    [413, "body: must have at most 262144 bytes"],
    [401, "authorization: must be 'Bearer <token>' with a valid write token"],
  ])("fail without a retry on a %s response from outside of tRPC, with its message", async (status, error) => {
    const { url, requests } = await service((_, __, response) => json(response, status, { error }));
    const { documents, status: about } = createIntentryClient({ url });
    for (const call of [about.health.query(), documents.publishCatalog.mutate({ catalog_json: "{}" })])
      await expect(call).rejects.toMatchObject({ name: "IntentryError", status, message: error });
    expect(requests).toHaveLength(2);
  });

  it("follow the Retry-After of a response from outside of tRPC", async () => {
    let left = 2;
    const { url, requests } = await service((_, __, response) => {
      if (left-- <= 0) return json(response, 200, [{ result: { data: { status: "ok" } } }]);
      response.setHeader("retry-after", "0");
      json(response, 503, { error: "The request took too long; try again" });
    });
    const intentry = createIntentryClient({ url });
    expect(await intentry.status.health.query()).toEqual({ status: "ok" });
    expect(requests).toHaveLength(3);
    left = 1;
    await expect(intentry.documents.publishCatalog.mutate({ catalog_json: "{}" })).rejects.toMatchObject({
      status: 503,
      message: "The request took too long; try again",
    });
    expect(requests).toHaveLength(4);
  });

  it("are retried after a 429 from outside of tRPC even if they write", async () => {
    let left = 1;
    const { url, requests } = await service((_, __, response) => {
      if (left-- <= 0) return json(response, 200, [{ result: { data: { catalog_hash: "0x" } } }]);
      response.setHeader("retry-after", "0");
      json(response, 429, { error: "Too many requests" });
    });
    await createIntentryClient({ url }).documents.publishCatalog.mutate({ catalog_json: "{}" });
    expect(requests).toHaveLength(2);
    left = 1;
    const hasty = createIntentryClient({ url, retries: 0 }).documents.publishCatalog.mutate({ catalog_json: "{}" });
    await expect(hasty).rejects.toMatchObject({ status: 429, message: "Too many requests" });
  });

  it("need no query or mutate, and writes are not retried as reads are", async () => {
    let left = 1;
    const { url, requests } = await service((_, body, response) =>
      left-- > 0
        ? json(response, 503, [failed(503, "SERVICE_UNAVAILABLE", 0)])
        : json(response, 200, [{ result: { data: JSON.parse(body)[0] } }]),
    );
    const intentry = createIntentryClient({ url });
    expect(await intentry.agents.get({ agentId: 1n })).toEqual({ agentId: "1" });
    expect(requests.map(({ url: path }) => path)).toEqual(["/trpc/agents.get?batch=1", "/trpc/agents.get?batch=1"]);
    left = 1;
    await expect(intentry.documents.publishCatalog({ catalog_json: "{}" })).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(3);
    const names = freeCalls.filter(({ operation }) => operation.writes).map(({ name }) => name);
    expect([...mutations].sort()).toEqual(names.sort());
  });

  it("end with the reason of their signal", async () => {
    const { url } = await service(() => {});
    const signal = AbortSignal.timeout(20);
    const call = createIntentryClient({ url }).status.health({}, { signal });
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("fail with unexpected_response at a server that is not Intentry", async () => {
    const { url } = await service((_, __, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"),
    );
    await expect(createIntentryClient({ url }).status.health()).rejects.toMatchObject({
      code: "unexpected_response",
      message: "The response is text/html. Is this the URL of Intentry?",
    });
  });

  it("fail with the status of a response that is not JSON", async () => {
    const { url } = await service((_, __, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"));
    await expect(createIntentryClient({ url, retries: 0 }).status.health.query()).rejects.toMatchObject({
      name: "IntentryError",
      status: 502,
      message: "The service responded with status 502",
      code: "unexpected_response",
    });
  });

  it.each<[number | undefined, number | undefined, "query" | "mutation", number | undefined]>([
    [429, 7, "query", 7],
    [429, 7, "mutation", 7],
    [429, 86_000, "mutation", undefined],
    [503, 5, "query", 5],
    [503, 5, "mutation", undefined],
    [502, undefined, "query", 0.25],
    [504, undefined, "mutation", undefined],
    [undefined, undefined, "query", 0.25],
    [undefined, undefined, "mutation", undefined],
    [400, undefined, "query", undefined],
    [500, undefined, "query", undefined],
  ])("that fail with status %s and Retry-After %s wait, as a %s, %s s", (httpStatus, retryAfter, type, expected) => {
    expect(secondsToWait({ data: { httpStatus, retryAfter } }, type, 0)).toBe(expected);
  });

  it("reject a document that the service stored under another hash", async () => {
    const { url } = await service((_, __, response) =>
      json(response, 200, [{ result: { data: { catalog_hash: `0x${"00".repeat(32)}` } } }]),
    );
    await expect(createIntentryClient({ url }).publishCatalog("{}")).rejects.toThrow("but the hash of the text is");
  });

  it("read every page of a list", async () => {
    const { url, requests } = await service((_, body, response) => {
      const cursor = Number(JSON.parse(body)[0].cursor ?? 0);
      const next_cursor = cursor < 2 ? String(cursor + 1) : null;
      json(response, 200, [
        {
          result: { data: { bids: [{ bid_id: `${cursor}a` }, { bid_id: `${cursor}b` }], pagination: { next_cursor } } },
        },
      ]);
    });
    const ids: string[] = [];
    for await (const { bid_id } of iterate(createIntentryClient({ url }).bids.list, { id: 1 })) ids.push(bid_id);
    expect(ids).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
    expect(requests).toHaveLength(3);
  });

  it("iterate over the array of a list, and ignore its other fields", async () => {
    const policies = [{ policy_type: "ACCOUNT_FROZEN" }, { policy_type: "GUARDIAN" }];
    const { url } = await service((_, __, response) =>
      json(response, 200, [{ result: { data: { account: "0xabc", policies, pagination: { next_cursor: null } } } }]),
    );
    const items: unknown[] = [];
    for await (const item of iterate(createIntentryClient({ url }).accounts.policies, { address: "0xabc" }))
      items.push(item);
    expect(items).toEqual(policies);
  });

  it("hash a quote for the indexed registry", async () => {
    const CommerceRegistry = `0x${"c0".repeat(20)}` as const;
    const { url, requests } = await service((_, __, response) =>
      json(response, 200, [{ result: { data: { chain_id: 8453, contracts: { CommerceRegistry } } } }]),
    );
    const [who, what] = [`0x${"0a".repeat(20)}`, `0x${"0b".repeat(32)}`] as const;
    const quote = {
      ...{ merchantId: 1n, serviceNumericId: 2n, agent: who, token: who, facilitator: who, amount: 3n, paymentRail: 3 },
      ...{ expiresAt: 4n, paymentNonce: 5n, resourceHash: what, termsHash: what, x402PayloadHash: what },
    };
    expect(await createIntentryClient({ url }).quoteHash(quote)).toBe(quoteHash(8453, CommerceRegistry, quote));
    expect(requests.map(({ url }) => url)).toEqual(["/trpc/status.protocol?batch=1"]);
  });
});

it.each(["localhost", "localhost:3001", "127.0.0.1:3001", "ftp://localhost", ""])(
  "rejects the URL %j when the client is created",
  (url) => {
    expect(() => createIntentryClient({ url })).toThrow(
      expect.objectContaining({
        code: "invalid_url",
        message: `The URL of the service must start with http:// or https://, not ${JSON.stringify(url)}`,
      }),
    );
  },
);

it("names the URL and the cause if there is no response", async () => {
  const url = "http://127.0.0.1:2";
  const intentry = createIntentryClient({ url: `${url}/`, retries: 0 });
  const message = `No response from ${url}: connect ECONNREFUSED 127.0.0.1:2`;
  for (const call of [
    () => intentry.status.health(),
    () => intentry.portfolio(`0x${"0a".repeat(20)}`),
    async () => {
      const onReconnect = ({ error }: { error: Error }) => {
        throw error;
      };
      for await (const _ of intentry.follow({}, { onReconnect }));
    },
  ])
    await expect(call()).rejects.toMatchObject({ code: "no_response", status: undefined, message });
});

describe("hashes and signatures", () => {
  it("of documents are the keccak256 of their UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(documentHash(text)).toBe(keccak256(Buffer.from(text)));
      }),
    );
    expect(documentHash("")).toBe("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  });

  it("of intents recover to the owner, for one IntentBook on one chain", async () => {
    const owner = privateKeyToAccount(`0x${"1f".repeat(32)}`);
    const book = { chainId: 8453, intentBook: owner.address };
    await fc.assert(
      fc.asyncProperty(anyIntent, async (intent) => {
        const [sent, v, r, s] = await signIntent(owner, intent, book);
        const typedData = {
          domain: { name: "AgentIntentBook", version: "1", chainId: book.chainId, verifyingContract: book.intentBook },
          types: intentTypes,
          primaryType: "Intent",
          message: sent,
        } as const;
        const signature = serializeSignature({ r, s, v: BigInt(v) });
        expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(owner.address);
      }),
      { numRuns: runs(20) },
    );
  });
});
