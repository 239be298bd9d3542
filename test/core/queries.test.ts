import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clockAt } from "../../api/core/clock";
import { writeCursor } from "../../api/core/cursor";
import { inputText } from "../../api/core/input-object";
import type { AnyOperation } from "../../api/core/operation";
import { createGateway } from "../../api/gateway";
import { openPool } from "../../api/indexed/open-pool";
import { MAX_SHAPES, SHAPE } from "../../api/indexed/prepared-client";
import type { Store } from "../../api/offchain/open";
import { freeCalls } from "../../api/operations/index";
import { readToken } from "../../api/tokens/contract";
import { listedOn, nativeOf } from "../../api/tokens/lists";
import { createTokens } from "../../api/tokens/tokens";
import { routeOf } from "../../api/transports/rest/route";
import { parseEnvironment } from "../../config/environment";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import type { ListedToken } from "../../config/token-list";
import { address } from "../../config/values";
import { type Found, findParameters } from "../support/found";
import { addressOf, lists } from "../support/lists/asking";
import { type RecordedIndex, recordedIndex } from "../support/recorded-index";
import { type SampleStack, sampleStack } from "../support/shared-stack";

/** The schema that {@link startStack} uses. */
const SCHEMA = "intentry_test";

const CURSOR_SECRET = "a secret for tests";

/** The number of queries of the reads that do not need exactly one. */
const fixed: Readonly<Record<string, number>> = {
  "status.health": 0,
  "status.protocol": 0,
  "payments.discovery": 0,
  // The example is the native coin.
  "tokens.get": 0,
};

describe("queries", () => {
  let stack: SampleStack;
  let index: RecordedIndex;
  let gateway: ReturnType<typeof createGateway>;
  /** A gateway with one connection to the index, of the kind that gateways use. */
  let connection: pg.Pool;
  let ofConnection: ReturnType<typeof createGateway>;
  /** Parameters that depend on the chain, unlike the examples. */
  let found: Found;

  beforeAll(async () => {
    stack = await sampleStack();
    index = recordedIndex(stack.databaseUrl, SCHEMA);
    const { timestamp } = await stack.client.getBlock();
    const tokens = createTokens({
      chainId: LOCAL_CHAIN_ID,
      listed: listedOn(LOCAL_CHAIN_ID),
      native: nativeOf(LOCAL_CHAIN_ID),
      read: (address) => readToken(stack.client, address),
      store: async () => index.db as Store["db"],
      onError: console.error,
    });
    // Tokens are in memory after their first use.
    await tokens.find([stack.contracts.TestDollar, "0x00000000000000000000000000000000000a11ce"], 30_000);
    const dollar: ListedToken = {
      address: address.parse(stack.contracts.TestDollar),
      ...{ symbol: "tUSD", name: "Test Dollar", decimals: 6, logo: null, stablecoin: true, feeds: [] },
    };
    const services = {
      db: index.db,
      clients: { chain: stack.client },
      config: {
        ...parseEnvironment({ NODE_ENV: "test" }),
        chainId: LOCAL_CHAIN_ID,
        contracts: stack.contracts,
        cursorSecret: async () => CURSOR_SECRET,
        listed: new Map([[dollar.address, dollar]]),
      },
      tokens,
      // Queries of the store count too.
      store: async () => index.db as Store["db"],
      simulate: () => Promise.reject(new Error("Unexpected simulation")),
      payments: undefined,
      events: { subscribe: () => Promise.reject(new Error("Unexpected subscription")) },
      portfolio: { chains: [], snapshot: () => Promise.reject(new Error("Unexpected portfolio request")) },
      head: async () => ({ historyDone: true, isComplete: true, block: 1n, timestamp, builtBlock: 1n, revision: "1" }),
      readiness: () => Promise.reject(new Error("Unexpected readiness request")),
      clock: async () => clockAt(timestamp),
    };
    gateway = createGateway(services, pino({ level: "silent" }));
    const settings = { search_path: SCHEMA };
    connection = openPool({ databaseUrl: stack.databaseUrl, poolMode: "session", isReadOnly: true, settings, max: 1 });
    const db = drizzle(connection, { casing: "snake_case" });
    ofConnection = createGateway({ ...services, db }, pino({ level: "silent" }));
    found = await findParameters(stack.apiUrl);
  }, 180_000);
  afterAll(async () => {
    await index?.close();
    await connection?.end();
  });

  /** The number of queries of a request with status 200. */
  async function queriesFor(address: string): Promise<number> {
    const queries = await index.queriesOf(async () => {
      const response = await gateway.request(address);
      expect(response.status, `${address}: ${await response.clone().text()}`).toBe(200);
    });
    return queries.length;
  }

  const exampleOf = (name: string, { example }: AnyOperation): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(example).map(([parameter, value]) => [parameter, String(value)])),
    ...found[name],
  });

  const reading = freeCalls.filter(
    ({ name, operation }) => operation.route.startsWith("GET ") && name !== "status.ready",
  );
  const listNames = new Set(lists.map(({ name }) => name));

  describe.each(reading.filter(({ name }) => listNames.has(name)))("$name", ({ name, operation }) => {
    const page = 1;
    // On-chain and off-chain bids are counted separately.
    const withTotal = name === "bids.list" ? 3 : 2;
    const address = (parameters: Record<string, string>) =>
      addressOf(routeOf(operation).path, { ...exampleOf(name, operation), ...parameters });

    it("needs the same number of queries for one row and for a hundred", async () => {
      expect(await queriesFor(address({}))).toBe(page);
      expect(await queriesFor(address({ limit: "1" }))).toBe(page);
      expect(await queriesFor(address({ limit: "100" }))).toBe(page);
      expect(await queriesFor(address({ limit: "1", offset: "1" }))).toBe(page);
    });

    it.skipIf(name === "bids.list")("reads only the sort key of the rows that an offset skips", async () => {
      const [query] = await index.queriesOf(() => Promise.resolve(gateway.request(address({ offset: "1" }))));
      const [, first = "", page = ""] = /^with "first" as \((.*? offset \$\d+)\) (.*)$/s.exec(query?.text ?? "") ?? [];
      expect(first).not.toBe("");
      expect(first).not.toContain("join");
      expect(page).not.toContain("offset");
    });

    it("needs one more query with a total", async () => {
      expect(await queriesFor(address({ limit: "1", total: "true" }))).toBe(withTotal);
      expect(await queriesFor(address({ limit: "100", total: "true" }))).toBe(withTotal);
    });

    it("needs the same number of queries in every order", async () => {
      const sorts = lists.find((list) => list.name === name)?.sorts ?? [];
      const token = stack.contracts.TestDollar;
      for (const sort of sorts)
        expect(await queriesFor(address({ limit: "2", sort, ...(sort === "amount" && { token }) }))).toBe(page);
    });

    it("needs the same number of queries after a cursor", async () => {
      const response = await gateway.request(address({ limit: "1" }));
      const { pagination } = (await response.json()) as { pagination: { next_cursor: string | null } };
      // The example has one row only.
      if (pagination.next_cursor === null) return;
      expect(await queriesFor(address({ limit: "1", cursor: pagination.next_cursor }))).toBe(page);
      expect(await queriesFor(address({ limit: "100", cursor: pagination.next_cursor }))).toBe(page);
    });
  });

  it.each(reading.filter(({ name }) => !listNames.has(name)))(
    "$name needs a fixed number",
    async ({ name, operation }) => {
      const expected = fixed[name] ?? 1;
      expect(await queriesFor(addressOf(routeOf(operation).path, exampleOf(name, operation)))).toBe(expected);
    },
  );

  it("read the policies of a preflight and their block at once", async () => {
    const accounts = [
      { account: stack.contracts.PolicyAccount, missing: [] },
      { account: "0x00000000000000000000000000000000000a11ce", missing: ["TARGET_ALLOWLIST"] },
    ];
    const indexed = String(await stack.client.getBlockNumber());
    for (const { account, missing } of accounts) {
      const body = JSON.stringify({ account, target: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", value: "5" });
      const headers = { "content-type": "application/json" };
      const queries = await index.queriesOf(async () => {
        const response = await gateway.request("/preflight", { method: "POST", headers, body });
        // Another statement, like the one of the head above, can see another block.
        expect(await response.json()).toMatchObject({ account, missing_policies: missing, block_number: indexed });
      });
      expect(queries).toHaveLength(1);
    }
  });

  it("are not sent for an invalid request", async () => {
    for (const address of ["/intents/x", "/intents?limit=0", "/attestations", "/intents?cursor=AAAA"]) {
      const queries = await index.queriesOf(async () => {
        expect((await gateway.request(address)).status, address).toBe(400);
      });
      expect(queries, address).toEqual([]);
    }
  });

  /** Requests for intents with every set of filters, every kind of page and several page sizes. */
  function shapesOfIntents(): string[] {
    const address = "0x0000000000000000000000000000000000000001";
    const values = { owner: address, intent_hash: `0x${"1".repeat(64)}`, input_token: address, output_token: address };
    const names = Object.keys(values) as (keyof typeof values)[];
    const subsets = Array.from({ length: 2 ** names.length }, (_, set) => names.filter((__, at) => (set >> at) & 1));
    const statuses = [{}, ...["open", "filled", "cancelled", "expired"].map((status) => ({ status }))];
    const filters: Record<string, string>[] = statuses.flatMap((status) =>
      subsets.map((set) => ({ ...status, ...Object.fromEntries(set.map((name) => [name, values[name]])) })),
    );
    return filters.flatMap((filter) => {
      const cursor = writeCursor(CURSOR_SECRET, `GET /intents ${inputText(filter)}`, ["9"]);
      const pages: Record<string, string>[] = [{}, { offset: "1" }, { cursor }];
      return ["1", "10", "20", "25", "50", "100", "7"].flatMap((limit) =>
        pages.map((page) => addressOf("/intents", { ...filter, limit, ...page })),
      );
    });
  }

  it("stay prepared while a client requests every shape of a list, and their number is limited", async () => {
    const shapes = shapesOfIntents();
    expect(new Set(shapes).size).toBe(1_680);
    const read = async (path: string) => {
      const response = await ofConnection.request(path);
      expect([path, response.status]).toEqual([path, 200]);
    };
    const prepared = async () => {
      const { rows } = await connection.query<{ name: string; at: string }>(
        "SELECT name, prepare_time::text AS at FROM pg_prepared_statements ORDER BY name",
      );
      return rows;
    };
    const common = [
      "/agents/1",
      "/solvers/1",
      "/merchants/1",
      "/events/recent?limit=10",
      "/intents",
      "/receipts?limit=20",
    ];
    const owned = `/intents?owner=0x0000000000000000000000000000000000000002`;
    for (const path of [...common, owned]) await read(path);
    const before = await prepared();
    expect(before.filter(({ name }) => !name.startsWith(SHAPE))).toHaveLength(common.length);
    for (const [at, path] of shapes.entries()) {
      await read(path);
      // In use all the time.
      if (at % 50 === 0) await read(owned);
    }
    for (const path of [...common, owned]) await read(path);
    const after = await prepared();
    // None of them was prepared again.
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.filter(({ name }) => name.startsWith(SHAPE))).toHaveLength(MAX_SHAPES);
    // The intents without filters after a cursor are common, too.
    expect(after.filter(({ name }) => !name.startsWith(SHAPE))).toHaveLength(common.length + 1);
    // A shape whose statement was closed is prepared again.
    await read(shapes.at(-500) ?? "");
    expect(await prepared()).toHaveLength(after.length);
  }, 120_000);
});
