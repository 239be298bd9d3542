import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getRecentEvents } from "../../api/operations/recent-events";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { withoutIndex } from "../support/without-index";

/** The tables that the query reads, with the columns of the index. */
const TABLES = `
  CREATE TABLE event_log (id text PRIMARY KEY, block_hash text, block_timestamp numeric, tx_hash text, contract text, name text, args text);
  CREATE TABLE intent (intent_id numeric PRIMARY KEY, input_token text, output_token text);
  CREATE TABLE _ponder_checkpoint (finalized_checkpoint text);`;

describe("recent events of a long log", () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createTestDatabase("recent_events");
    pool = new pg.Pool({ connectionString: database.url });
    await pool.query(TABLES);
  });
  beforeEach(() => pool.query("TRUNCATE event_log, _ponder_checkpoint"));
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  let block = 0;
  /** Adds a number of events, each in its own block. */
  const add = async (count: number, [contract, name]: [string, string], args: object) => {
    await pool.query(
      `INSERT INTO event_log SELECT lpad(($1::int + number)::text, 12, '0') || '-000000',
         '0x' || repeat('ab', 32), 1, '0x' || repeat('cd', 32), $3, $4, $5 FROM generate_series(1, $2::int) AS number`,
      [block, count, contract, name, JSON.stringify(args)],
    );
    block += count;
  };
  const cancelled: [string, string] = ["IntentBook", "IntentCancelled"];

  const recent = async (input: Record<string, unknown>) => {
    const db = drizzle(pool, { casing: "snake_case" });
    const parsed = getRecentEvents.input.parse({ limit: "100", ...input });
    const { events } = await getRecentEvents.run({ ...withoutIndex, db } as never, parsed as never, undefined as never);
    return events;
  };

  it("filters the newest 1,000 events that can match, by subject", async () => {
    await add(1, cancelled, { intentId: "7" });
    await add(999, cancelled, { intentId: "8" });
    // These can't match.
    await add(2_000, ["AgentRegistry", "AgentRevoked"], { agentId: "7" });
    expect(await recent({ intent_id: "7" })).toMatchObject([{ event: "IntentCancelled", args: { intentId: "7" } }]);
    expect(await recent({ intent_id: "8" })).toHaveLength(100);
    await add(1, cancelled, { intentId: "8" });
    expect(await recent({ intent_id: "7" })).toEqual([]);
  });

  it("selects the events of one block", async () => {
    await add(2, cancelled, { intentId: "7" });
    await add(1, ["AgentRegistry", "AgentRevoked"], { agentId: "7" });
    await add(2, cancelled, { intentId: "8" });
    const ofBlock = async (number: number | string, filter: object = {}) =>
      (await recent({ ...filter, block_number: String(number) })).map((one) => [Number(one.block_number), one.event]);
    expect(await ofBlock(block - 3)).toEqual([[block - 3, "IntentCancelled"]]);
    expect(await ofBlock(block - 2)).toEqual([[block - 2, "AgentRevoked"]]);
    expect(await ofBlock(block - 2, { name: "AgentRevoked" })).toHaveLength(1);
    expect(await ofBlock(block - 2, { name: "IntentCancelled" })).toEqual([]);
    expect(await ofBlock(block, { intent_id: "8" })).toHaveLength(1);
    expect(await ofBlock(block, { intent_id: "7" })).toEqual([]);
    // Greater than any block that an event id can have.
    for (const number of [block + 1, "1000000000000", "9".repeat(77)]) expect(await ofBlock(number)).toEqual([]);
  });

  it("says which of them a reorg can remove", async () => {
    await add(3, cancelled, { intentId: "7" });
    const finalities = async () => (await recent({})).map(({ finality }) => finality);
    expect(await finalities()).toEqual(["pending", "pending", "pending"]);
    const checkpoint = "0".repeat(26) + String(block - 1).padStart(16, "0");
    await pool.query("INSERT INTO _ponder_checkpoint VALUES ($1)", [checkpoint]);
    expect(await finalities()).toEqual(["pending", "finalized", "finalized"]);
  });

  it.each([{}, { name: "AgentRegistered" }, { agent: "1" }])(
    "with %j ends after the event that exceeds a mebibyte of arguments",
    async (filter) => {
      const args = { agentId: "1", owner: `0x${"0".repeat(40)}`, metadataURI: "" };
      const bytes = 100_000 - JSON.stringify(args).length;
      await add(30, ["AgentRegistry", "AgentRegistered"], { ...args, metadataURI: "x".repeat(bytes) });
      // 10 × 100,000 bytes are less than 1,048,576, and 11 are more.
      expect(await recent(filter)).toHaveLength(11);
    },
  );
});
