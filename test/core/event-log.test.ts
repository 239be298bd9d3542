import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cursor, cursorOf } from "../../api/events/cursor";
import { type EventLog, eventLogIn } from "../../api/events/event-log";
import { newestEvents } from "../../api/events/newest-events";
import { readChanges } from "../../api/metadata/changes";
import { eventId } from "../../common/rows/event-id";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { type RecordedIndex, recordedIndex } from "../support/recorded-index";

const EVENTS = 20_000;
const LIMIT = 100;
const HASH = `0x${"ab".repeat(32)}` as const;

/** Two events that occur in the first tenth only, and two that occur throughout. */
const FORMER = ["SolverRegistered", "SolverUpdated"];
const FREQUENT = ["IntentSubmitted", "IntentFilled"];

type Node = { "Actual Rows": number; "Actual Loops": number; "Rows Removed by Filter"?: number; Plans?: Node[] };
const rowsReadBy = ({ Plans = [], ...node }: Node): number =>
  Plans.length > 0
    ? Plans.reduce((sum, plan) => sum + rowsReadBy(plan), 0)
    : (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];

describe("a page of the event log", () => {
  let database: TestDatabase;
  let index: RecordedIndex;
  let log: EventLog;
  beforeAll(async () => {
    database = await createTestDatabase("event_log");
    index = recordedIndex(database.url, "public");
    log = eventLogIn(index.db);
    const { pool } = index;
    await pool.query(
      `CREATE TABLE event_log AS SELECT lpad(n::text, 12, '0') || '-000000' AS id, '${HASH}' AS block_hash, n AS block_timestamp,
         '${HASH}' AS tx_hash, 'IntentBook' AS contract, '{}' AS args,
         (ARRAY['${FREQUENT.join("','")}', '${FORMER.join("','")}'])[1 + n % CASE WHEN n < ${EVENTS / 10} THEN 4 ELSE 2 END] AS name
       FROM generate_series(1, ${EVENTS}) AS n`,
    );
    await pool.query("ALTER TABLE event_log ADD PRIMARY KEY (id)");
    await pool.query("CREATE INDEX ON event_log (name, id)");
    await pool.query("VACUUM ANALYZE event_log");
    await pool.query("CREATE TABLE _ponder_checkpoint (finalized_checkpoint text)");
    for (const subject of ["agent", "merchant", "service", "facilitator", "solver", "attestor"])
      await pool.query(
        `CREATE TABLE ${subject} (${subject === "service" ? "service_numeric" : subject}_id numeric,
           metadata_uri text, metadata_hash text, service_id text)`,
      );
    await pool.query("CREATE TABLE intent (intent_id numeric, input_token text, output_token text)");
  });
  afterAll(async () => {
    await index?.close();
    await database?.drop();
  });

  const at = (block: number): Cursor => cursorOf(eventId(BigInt(block), 0), HASH);

  it.each([
    ["all names", undefined],
    ["names that occur often", FREQUENT],
    ["one name", FREQUENT.slice(0, 1)],
    ["names of which some occur no more", [...FORMER, "IntentFilled"]],
  ])("has the first events after a cursor, in order, with %s", async (_, names) => {
    const rows = await log.rows(at(EVENTS / 10 - 50), at(EVENTS), LIMIT, names);
    const { rows: expected } = await index.pool.query(
      "SELECT id FROM event_log WHERE id > $1 AND ($2::text[] IS NULL OR name = ANY ($2)) ORDER BY id LIMIT $3",
      [at(EVENTS / 10 - 50).eventId, names, LIMIT],
    );
    expect(rows?.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(rows).toHaveLength(LIMIT);
  });

  const rowsReadFor = async (read: () => Promise<unknown>) => {
    const [query] = await index.queriesOf(read);
    const { rows } = await index.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query?.text}`, query?.parameters ?? []);
    return rowsReadBy(rows[0]["QUERY PLAN"][0].Plan);
  };

  it("reads a few rows, also if the names no longer occur", async () => {
    const page = async () => expect(await log.rows(at(EVENTS / 2), at(EVENTS), LIMIT, FORMER)).toEqual([]);
    expect(await rowsReadFor(page)).toBeLessThan(10);
  });

  it("of the newest events with some names reads no more rows than there are on a page for each", async () => {
    const newest = async () =>
      expect(await newestEvents(index.db, { names: FORMER, limit: LIMIT })).toHaveLength(LIMIT);
    expect(await rowsReadFor(newest)).toBeLessThan(5 * LIMIT);
  });

  const position = (block: number) => ({ eventId: eventId(BigInt(block), 0), blockHash: HASH });
  it.each([
    ["no block", null, undefined],
    ["the first block", 1, 1],
    ["a block before the page", 10_000, 10_000],
    ["a block of the page", 18_050, 18_050],
    ["the last block", EVENTS, 18_200],
  ])("for the metadata has its last final event, and reads a few rows, if %s is final", async (_, final, expected) => {
    const checkpoint = final === null ? null : "0".repeat(26) + String(final).padStart(16, "0") + "9".repeat(33);
    await index.pool.query("DELETE FROM _ponder_checkpoint");
    await index.pool.query("INSERT INTO _ponder_checkpoint VALUES ($1)", [checkpoint]);
    const feed = async () => {
      const { last, lastFinal, isKnown } = await readChanges(index.db, position(18_000));
      expect({ last, lastFinal, isKnown }).toEqual({
        last: position(18_200),
        lastFinal: expected === undefined ? undefined : position(expected),
        isKnown: true,
      });
    };
    // The query scans its page of 200 events five times.
    expect(await rowsReadFor(feed)).toBeLessThan(1_100);
  });
});
