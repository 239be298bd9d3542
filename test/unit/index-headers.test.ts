import { pino } from "pino";
import { type Address, encodeEventTopics, type Hex, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import { intentBookAbi } from "../../abis/index";
import type { Simulated } from "../../api/actions/simulate";
import { clockAt } from "../../api/core/clock";
import { type AnyCall, readsIndex } from "../../api/core/operation";
import { paidCaller } from "../../api/core/paid-caller";
import { createGateway } from "../../api/gateway";
import type { IndexHead } from "../../api/indexed/head";
import type { Context } from "../../api/operations/context";
import { calls } from "../../api/operations/index";
import type { Token } from "../../api/tokens/token";
import { openApiDocument } from "../../api/transports/openapi";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import type { ListedToken } from "../../config/token-list";

const synced: IndexHead = {
  historyDone: true,
  isComplete: true,
  block: 42n,
  timestamp: 1n,
  builtBlock: 42n,
  revision: "42",
};

/** A query builder that accepts any method, and fails when the query runs. */
const failing: object = new Proxy(
  {},
  {
    get: (_, name) =>
      name === "then" ? (_: unknown, reject: (error: Error) => void) => reject(new Error("used")) : () => failing,
  },
);

/** A database that records its use, and whose queries fail. */
const noting = (onUse: () => void) =>
  new Proxy({} as never, {
    get(_, name) {
      // A promise checks its value for `then`.
      if (name === "then") return undefined;
      return () => {
        onUse();
        return failing;
      };
    },
  });

/** The token that examples name by its symbol. */
const dollar: ListedToken = {
  address: "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
  ...{ symbol: "tUSD", name: "Test Dollar", decimals: 6, logo: null, stablecoin: true, feeds: [] },
};

const tokenAt = (address: Address): Token =>
  address === zeroAddress
    ? { address, symbol: "ETH", name: "Ether", decimals: 18, source: "list" }
    : { ...dollar, source: "list" };

/** An event whose sentence needs the intent from the index, as a simulated transaction emits it. */
const simulated: Simulated = {
  method: "eth_simulateV1",
  outcomes: [
    {
      ...{ ok: true, data: "0x", gasUsed: 1n },
      logs: [
        {
          address: baseSepolia.contracts.IntentBook,
          topics: encodeEventTopics({
            abi: intentBookAbi,
            eventName: "SolverBidSubmitted",
            args: { intentId: 1n, bidId: 1n, solver: zeroAddress },
          }) as [Hex, ...Hex[]],
          data: `0x${"00".repeat(32 * 5)}`,
        },
      ],
    },
  ],
};

function servicesOver(db: never, head: () => Promise<IndexHead> = async () => synced): Context {
  return {
    db,
    clients: { chain: {} as never },
    simulate: async () => simulated,
    tokens: {
      find: async (addresses) => new Map(addresses.map((address) => [address, tokenAt(address)])),
      named: () => Promise.reject(new Error("not read")),
    },
    store: async () => noting(() => {}),
    payments: undefined,
    events: { subscribe: () => Promise.reject(new Error("not read")) },
    config: {
      ...parseEnvironment({ NODE_ENV: "test" }),
      ...baseSepolia,
      cursorSecret: async () => "a secret for tests",
      listed: new Map([[dollar.address, dollar]]),
    },
    portfolio: { chains: ["local"], snapshot: () => Promise.reject(new Error("not read")) },
    head,
    readiness: () => Promise.reject(new Error("not read")),
    clock: async () => clockAt(1n),
  };
}

const caller = paidCaller({ baseUrl: "http://localhost", client: "one", hasWriteToken: false });

/** Inputs for operations whose example would read the store before the index. */
const examples: Readonly<Record<string, Record<string, unknown>>> = { "bids.select": { bidId: "1-1" } };

async function usesIndex(name: string, { run, input, example }: AnyCall): Promise<boolean> {
  let used = false;
  const services = servicesOver(
    noting(() => {
      used = true;
    }),
  );
  // The databases fail, but the use of the index is recorded by then.
  await Promise.resolve()
    .then(() => run(services as never, input.parse({ ...example, ...examples[name] }) as never, caller))
    .catch(() => undefined);
  return used;
}

describe("an operation", () => {
  it.each(calls)("$name declares whether it reads the index", async ({ name, operation }) => {
    expect(await usesIndex(name, operation)).toBe(readsIndex(operation));
  });
});

describe("a response from the index", () => {
  const gatewayAt = (head: () => Promise<IndexHead>) =>
    createGateway(
      servicesOver(
        noting(() => {}),
        head,
      ),
      pino({ level: "silent" }),
    );
  const headersOf = ({ headers }: Response) => ({
    block: headers.get("x-index-block"),
    status: headers.get("x-index-status"),
  });

  it("has the index head in a header, whatever its status", async () => {
    expect(headersOf(await gatewayAt(async () => synced).request("/agents/1"))).toEqual({ block: "42", status: null });
  });

  it("has a syncing header until the index has caught up", async () => {
    const gateway = gatewayAt(async () => ({ ...synced, historyDone: false }));
    expect(headersOf(await gateway.request("/agents/1"))).toEqual({ block: "42", status: "syncing" });
  });

  it("has no block header before the first block is indexed", async () => {
    const gateway = gatewayAt(async () => ({
      historyDone: false,
      isComplete: false,
      block: null,
      timestamp: null,
      builtBlock: null,
      revision: "",
    }));
    expect(headersOf(await gateway.request("/agents/1"))).toEqual({ block: null, status: "syncing" });
  });

  it("is a 503 with Retry-After while the index is not built", async () => {
    const gateway = gatewayAt(() => Promise.reject(Object.assign(new Error("no relation"), { code: "42P01" })));
    const response = await gateway.request("/agents/1");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await response.json()).toEqual({
      error: "The index is not built yet; try again shortly",
      code: "unavailable",
    });
  });

  it("has the headers over tRPC and MCP too, with the oldest block of a batch", async () => {
    let block = 50n;
    const gateway = gatewayAt(async () => ({ ...synced, block: block-- }));
    const batch = encodeURIComponent(JSON.stringify({ 0: { agentId: "1" }, 1: { agentId: "2" } }));
    const trpc = await gateway.request(`/trpc/agents.get,agents.get?batch=1&input=${batch}`);
    expect(headersOf(trpc)).toEqual({ block: "49", status: null });
    const mcp = await gateway.request("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "agents_get", arguments: { agentId: "1" } },
      }),
    });
    expect(headersOf(mcp)).toEqual({ block: "48", status: null });
  });

  it("exposes the headers to scripts of other origins", async () => {
    const response = await gatewayAt(async () => synced).request("/agents/1", {
      headers: { origin: "https://a.example" },
    });
    const exposed = response.headers.get("access-control-expose-headers")?.split(",");
    expect(exposed).toEqual(expect.arrayContaining(["x-index-block", "x-index-status"]));
  });

  it("is documented with both headers, unlike other responses", () => {
    const paths = openApiDocument().paths as Record<
      string,
      Record<string, { operationId: string; responses: Responses }>
    >;
    type Responses = Record<string, { headers?: Record<string, unknown> }>;
    const documented = Object.values(paths).flatMap((methods) =>
      Object.values(methods)
        .filter(({ responses }) => Object.values(responses).some(({ headers }) => headers?.["x-index-block"]))
        .map(({ operationId }) => operationId),
    );
    const reading = calls.filter(({ operation }) => readsIndex(operation)).map(({ name }) => name);
    expect(documented.sort()).toEqual(reading.sort());
  });

  it("excludes invalid input and operations without the index", async () => {
    const gateway = gatewayAt(async () => synced);
    for (const path of ["/agents/x", "/health", "/protocol", "/nothing"])
      expect(headersOf(await gateway.request(path)), path).toEqual({ block: null, status: null });
  });
});
