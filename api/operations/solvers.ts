import { and, eq, getTableColumns, gt, gte, lt, sql } from "drizzle-orm";
import { intervalSeconds } from "../../common/rows/interval";
import { intent, openSelection, solver, solverActivity } from "../../ponder.schema";
import { average } from "../core/average";
import { address, flag } from "../core/inputs";
import { listOperation } from "../core/list";
import type { Now } from "../core/list-queries";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, decimalText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";

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
    total_latency_blocks: uintText,
    total_surplus_out: uintText,
    block_number: uintText,
  })
  .openapi("Solver");

/**
 * The number of a solver's selections whose intent is still open. Expiry has no event, so the intents with a deadline in the
 * current hour are counted on read, if there are any.
 */
const openSelections = ({ now }: Now) => {
  // A subquery without a table is computed once, not for each row.
  const hour = sql`(SELECT ${now}::numeric - ${now}::numeric % ${intervalSeconds.hour})`;
  const inThisHour = and(
    eq(intent.selectedSolver, solver.operator),
    eq(intent.status, "OPEN"),
    gt(intent.deadline, now),
    lt(intent.deadline, sql`${hour} + ${intervalSeconds.hour}`),
  );
  const { count, deadlineHour } = openSelection;
  const fromThisHour = and(eq(openSelection.solver, solver.operator), gte(deadlineHour, hour));
  return sql<number>`(SELECT coalesce(sum(${count}) FILTER (WHERE ${deadlineHour} > ${hour}), 0)
      + CASE WHEN sum(${count}) FILTER (WHERE ${deadlineHour} = ${hour}) > 0
        THEN (SELECT count(*) FROM ${intent} WHERE ${inThisHour}) ELSE 0 END
    FROM ${openSelection} WHERE ${fromThisHour})`.mapWith(Number);
};

/** A solver with its operator's activity. */
const solverFields = (time: Now) => ({
  ...getTableColumns(solver),
  activity: getTableColumns(solverActivity),
  openSelections: openSelections(time),
});

const ofOperator = eq(solverActivity.solver, solver.operator);

const selectSolvers = (db: Selectable, time: Now) =>
  db.select(solverFields(time)).from(solver).leftJoin(solverActivity, ofOperator).$dynamic();

type Row = Awaited<ReturnType<typeof selectSolvers>>[number];

const toWire = ({ activity, openSelections, ...row }: Row): z.input<typeof Solver> => {
  const { fills = 0, latencyBlocks = 0n, surplusOut = 0n } = activity ?? {};
  return {
    solver_id: String(row.solverId),
    operator: row.operator,
    metadata_uri: row.metadataUri,
    capabilities_hash: row.capabilitiesHash,
    bond: String(row.bond),
    active: row.active,
    fills: String(fills),
    successful_fills: String(fills),
    failed_fills: String((activity?.unfilledSelections ?? 0) - openSelections),
    avg_latency_blocks: average(latencyBlocks, fills),
    avg_surplus_out: average(surplusOut, fills),
    total_latency_blocks: String(latencyBlocks),
    total_surplus_out: String(surplusOut),
    block_number: String(row.blockNumber),
  };
};

export const getSolver = recordOperation({
  route: "GET /solvers/{id}",
  summary: "One solver by its id, with its fill statistics.",
  subject: "solver",
  item: Solver,
  name: "SolverRecord",
  idName: "id",
  usesTime: true,
  query: (db, { id, now }, metadata) =>
    db
      .select({ ...solverFields({ now }), ...metadata })
      .from(solver)
      .leftJoin(solverActivity, ofOperator)
      .where(eq(solver.solverId, id)),
  toWire,
});

const listSolvers = listOperation({
  route: "GET /solvers",
  summary: "Registered solvers, by id.",
  name: "solvers",
  item: Solver,
  filters: { active: flag.optional(), operator: address.optional() },
  example: { active: "true" },
  dependsOn: ["index", "time"],
  query: selectSolvers,
  rows: solver,
  where: ({ active, operator }) => [
    active === undefined ? undefined : eq(solver.active, active),
    operator && eq(solver.operator, operator),
  ],
  orders: oldestFirst(solver, "solverId"),
  toWire,
});

export const solvers = { get: getSolver, list: listSolvers };
