import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getSolver } from "../../api/operations/solvers";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { type RecordedIndex, recordedIndex } from "../support/recorded-index";
import { withoutIndex } from "../support/without-index";

const SOLVER = `0x${"ab".repeat(20)}`;
const HOUR = 3_600n;
/** The first second of an hour. */
const START = 555_555n * HOUR;
const NEVER = 2n ** 256n - 1n;

const deadlines = [-HOUR - 1n, -1n, 0n, 1n, HOUR / 2n, HOUR - 1n, HOUR, HOUR + 1n, 2n * HOUR]
  .map((offset) => START + offset)
  .concat(NEVER, NEVER);

describe("the failed fills of a solver", () => {
  let database: TestDatabase;
  let index: RecordedIndex;

  beforeAll(async () => {
    database = await createTestDatabase("solver_selections");
    index = recordedIndex(database.url, "public");
    const { pool } = index;
    await pool.query(`
      CREATE TABLE solver (solver_id numeric, operator text, metadata_uri text, capabilities_hash text, bond numeric, active boolean, block_number int8);
      CREATE TABLE solver_activity (solver text, fills int, latency_blocks numeric, surplus_out numeric, unfilled_selections int);
      CREATE TABLE intent (intent_id numeric, status text, selected_solver text, deadline numeric);
      CREATE TABLE open_selection (solver text, deadline_hour numeric, count int);
      INSERT INTO solver VALUES (1, '${SOLVER}', '', '0x', 1, true, 1);
      INSERT INTO solver_activity VALUES ('${SOLVER}', 0, 0, 0, ${deadlines.length});`);
    for (const [id, deadline] of deadlines.entries())
      await pool.query("INSERT INTO intent VALUES ($1, 'OPEN', $2, $3)", [id, SOLVER, String(deadline)]);
    await pool.query(
      `INSERT INTO intent VALUES (1000, 'OPEN', NULL, ${NEVER}), (1001, 'FILLED', '${SOLVER}', ${NEVER})`,
    );
    await pool.query(
      `INSERT INTO open_selection SELECT selected_solver, deadline - deadline % ${HOUR}, count(*) FROM intent
       WHERE status = 'OPEN' AND selected_solver IS NOT NULL GROUP BY 1, 2`,
    );
  });
  afterAll(async () => {
    await index?.close();
    await database?.drop();
  });

  it("are the selections whose deadline has passed, in every second around the hours", async () => {
    for (const hour of [-1n, 0n, 1n, 2n])
      for (const second of [-1n, 0n, 1n, HOUR / 2n - 1n, HOUR / 2n, HOUR / 2n + 1n]) {
        const now = START + hour * HOUR + second;
        const context = { ...withoutIndex, db: index.db, config: { chainId: 1 }, clock: async () => ({ now }) };
        const solver = await getSolver.run(context as never, { id: 1n } as never, undefined as never);
        const expired = deadlines.filter((deadline) => deadline <= now).length;
        expect([now, solver.failed_fills]).toEqual([now, String(expired)]);
      }
  });
});
