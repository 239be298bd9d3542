import { and, eq, getTableColumns, lte, type SQL, sql } from "drizzle-orm";
import { intent, solver, solverActivity } from "../../ponder.schema";
import { average } from "../core/average";
import { NotFound } from "../core/errors";
import { address, flag, id } from "../core/inputs";
import { listOperation, type Now } from "../core/list";
import { operation, z } from "../core/operation";
import { addressText, chainText, decimalText, hashText, uintText } from "../core/outputs";
import { type Placeholders, preparedQuery, type TextRow } from "../database/prepared-query";
import type { IndexDatabase } from "../index/database";

const Solver = z
  .strictObject({
    solver_id: uintText,
    operator: addressText,
    metadata_uri: chainText,
    capabilities_hash: hashText,
    bond: uintText,
    active: z.boolean(),
    fills: uintText,
    successful_fills: uintText,
    failed_fills: uintText.openapi({ description: "Selected bids whose intent expired or was cancelled unfilled." }),
    avg_latency_blocks: decimalText,
    avg_surplus_out: decimalText,
    block_number: uintText,
  })
  .openapi("Solver");

/** Selects solvers with their operators' activity. Counts expired selections on read, because expiry has no event. */
const selectSolvers = (db: IndexDatabase, { now }: Now) => {
  const expired = and(
    eq(intent.selectedSolver, solver.operator),
    eq(intent.status, "OPEN"),
    lte(intent.deadline, now),
  ) as SQL;
  return db
    .select({
      ...getTableColumns(solver),
      activity: getTableColumns(solverActivity),
      expiredSelections: sql<number>`(SELECT count(*) FROM ${intent} WHERE ${expired})`.mapWith(Number),
    })
    .from(solver)
    .leftJoin(solverActivity, eq(solverActivity.solver, solver.operator))
    .$dynamic();
};

type Row = TextRow<Awaited<ReturnType<typeof selectSolvers>>[number]>;

const toWire = ({ activity, expiredSelections, ...row }: Row): z.input<typeof Solver> => {
  const fills = activity?.fills ?? 0;
  return {
    solver_id: row.solverId,
    operator: row.operator,
    metadata_uri: row.metadataUri,
    capabilities_hash: row.capabilitiesHash,
    bond: row.bond,
    active: row.active,
    fills: String(fills),
    successful_fills: String(fills),
    failed_fills: String((activity?.cancelledSelections ?? 0) + expiredSelections),
    avg_latency_blocks: average(BigInt(activity?.latencyBlocks ?? 0), fills),
    avg_surplus_out: average(BigInt(activity?.surplusOut ?? 0), fills),
    block_number: row.blockNumber,
  };
};

const findSolver = preparedQuery((db, { id, now }: Placeholders<{ id: bigint; now: bigint }>) =>
  selectSolvers(db, { now }).where(eq(solver.solverId, id)),
);

export const getSolver = operation({
  route: "GET /solvers/{id}",
  summary: "One solver by its id, with its fill statistics.",
  input: z.object({ id }),
  output: Solver,
  errors: [404],
  example: { id: "1" },
  async run({ db, clock }, { id }) {
    const [row] = await findSolver(db, { id, now: (await clock()).now });
    if (!row) throw new NotFound(`Solver ${id} not found`);
    return toWire(row);
  },
});

export const listSolvers = listOperation({
  route: "GET /solvers",
  summary: "Registered solvers, by id.",
  name: "solvers",
  item: Solver,
  filters: { active: flag.optional(), operator: address.optional() },
  example: { active: "true" },
  query: selectSolvers,
  rows: solver,
  where: ({ active, operator }) => [
    active === undefined ? undefined : eq(solver.active, active),
    operator && eq(solver.operator, operator),
  ],
  order: [{ column: solver.solverId, of: (row) => row.solverId }],
  toWire,
});
