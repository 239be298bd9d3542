import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import { followHead } from "../../api/index-head";
import { allOperations } from "../../api/operations/index";
import { routeOf } from "../../api/transports/route";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { type RecordedIndex, recordedIndex } from "../../dev/recorded-index";
import { addressOf, ask, lists } from "./lists/asking";
import { type Stack, startStack } from "./stack";

/** As {@link startStack} names it. */
const SCHEMA = "intentry_test";

/** What the operations that are neither a list nor a single resource may ask of the index, however much there is in it. */
const fixed: Readonly<Record<string, number>> = {
  // The rankings, the totals, and the names of the merchants and services in the rankings.
  "analytics.commerce": 4,
  // The merchant and its totals.
  "merchants.reputation": 2,
  "transactions.explain": 1,
  "status.ready": 1,
  "status.health": 0,
};

describe("queries", () => {
  let stack: Stack;
  let index: RecordedIndex;
  let gateway: ReturnType<typeof createGateway>;
  /** Values that the sample chain has for the parameters of the examples that it can't foresee. */
  let known: Record<string, string>;

  beforeAll(async () => {
    stack = await startStack({ database: "postgres", sample: true });
    index = recordedIndex(stack.databaseUrl ?? "", SCHEMA);
    const { timestamp } = await stack.client.getBlock();
    const services = {
      db: index.db,
      clients: { chain: stack.client },
      config: {
        chainId: LOCAL_CHAIN_ID,
        contracts: stack.contracts,
        maxLagBlocks: 0n,
        x402DevBypass: false,
        cursorSecret: "a secret of the test",
        checkAnswers: true,
      },
      head: followHead(index.db).read,
      now: async () => timestamp,
    };
    gateway = createGateway(services, pino({ level: "silent" }));
    const { quotes } = await ask<{ quotes: { quote_hash: string }[] }>(stack.apiUrl, "/quotes");
    const { intents } = await ask<{ intents: { tx_hash: string }[] }>(stack.apiUrl, "/intents");
    known = { quoteHash: quotes[0]?.quote_hash ?? "", hash: intents[0]?.tx_hash ?? "" };
  }, 180_000);
  afterAll(async () => {
    await index?.close();
    await stack?.stop();
  });

  /** How many queries it takes to answer with 200. */
  async function queriesFor(address: string): Promise<number> {
    const queries = await index.queriesOf(async () => {
      const response = await gateway.request(address);
      expect(response.status, `${address}: ${await response.clone().text()}`).toBe(200);
    });
    return queries.length;
  }

  const exampleOf = (example: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, known[name] ?? String(value)]));

  const reading = allOperations.filter(({ operation }) => operation.route.startsWith("GET "));
  const listNames = new Set(lists.map(({ name }) => name));

  describe.each(reading.filter(({ name }) => listNames.has(name)))("$name", ({ operation }) => {
    const address = (parameters: Record<string, string>) =>
      addressOf(routeOf(operation).path, { ...exampleOf(operation.example), ...parameters });

    it("is one query, for one row as for a hundred", async () => {
      expect(await queriesFor(address({}))).toBe(1);
      expect(await queriesFor(address({ limit: "1" }))).toBe(1);
      expect(await queriesFor(address({ limit: "100" }))).toBe(1);
      expect(await queriesFor(address({ limit: "1", offset: "1" }))).toBe(1);
    });

    it("is one query more with a total", async () => {
      expect(await queriesFor(address({ limit: "1", total: "true" }))).toBe(2);
      expect(await queriesFor(address({ limit: "100", total: "true" }))).toBe(2);
    });

    it("is one query after a cursor", async () => {
      const response = await gateway.request(address({ limit: "1" }));
      const { pagination } = (await response.json()) as { pagination: { next_cursor: string | null } };
      // The example has one row only.
      if (pagination.next_cursor === null) return;
      expect(await queriesFor(address({ limit: "1", cursor: pagination.next_cursor }))).toBe(1);
      expect(await queriesFor(address({ limit: "100", cursor: pagination.next_cursor }))).toBe(1);
    });
  });

  it.each(reading.filter(({ name }) => !listNames.has(name)))(
    "$name is a fixed number",
    async ({ name, operation }) => {
      const expected = fixed[name] ?? 1;
      expect(await queriesFor(addressOf(routeOf(operation).path, exampleOf(operation.example)))).toBe(expected);
    },
  );

  it("is none for a request that can't be served", async () => {
    for (const address of ["/intents/x", "/intents?limit=0", "/agents", "/attestations", "/intents?cursor=AAAA"]) {
      const queries = await index.queriesOf(async () => {
        expect((await gateway.request(address)).status, address).toBe(400);
      });
      expect(queries, address).toEqual([]);
    }
  });
});
