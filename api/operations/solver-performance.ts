import { eq, type SQL, sql } from "drizzle-orm";
import { intervalSeconds } from "../../common/rows/interval";
import { fillLatency, intent, openSelection, participantHour, solver } from "../../ponder.schema";
import { average } from "../core/average";
import { NotFound } from "../core/errors";
import { id } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, decimalText, timeText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../indexed/database";
import { preparedQuery } from "../indexed/prepared-query";
import { dollarText } from "../prices/value";
import { dollarsOfAmounts, pricedHours } from "./rankings/hours";
import { winRate } from "./rankings/win-rate";
import { startOfWindow, type Window, windowNames } from "./rankings/windows";

const Performance = z
  .strictObject({
    window: z.enum(windowNames),
    from: timeText.nullable().openapi({ description: "The start of the window, in unix seconds. Null for all time." }),
    bids: uintText.openapi({ description: "On-chain bids." }),
    wins: uintText.openapi({
      description: "Intents that selected a bid of this solver instead of another solver's or none.",
    }),
    win_rate: decimalText.nullable().openapi({ description: "Wins for each bid, at most 1. Null without bids." }),
    fills: uintText,
    failed_fills: uintText.openapi({
      description: "Selections whose intent was cancelled in the window, or expired unfilled in it.",
    }),
    median_latency_blocks: decimalText.nullable().openapi({
      description:
        "From submission to fill. Of an even number of fills, the mean of the two in the middle. Null without fills.",
    }),
    avg_surplus_bps: decimalText.nullable().openapi({
      description:
        "The mean over fills of the output beyond the intent's minimum, in basis points of the minimum, rounded down for each fill. Null if no fill has a minimum.",
    }),
    surplus_usd: decimalText.openapi({
      description: "The outputs beyond the intents' minimums, in dollars of listed tokens.",
    }),
    volume_usd: decimalText.openapi({ description: "The inputs of fills, in dollars of listed tokens." }),
  })
  .openapi("SolverPerformance");

const Output = z
  .strictObject({ solver_id: uintText, operator: addressText, windows: z.array(Performance) })
  .openapi("SolverPerformanceByWindow");

const { metric, start, count, amount } = participantHour;
const now = sql`${sql.placeholder("now")}::numeric`;
const hour = sql.raw(String(intervalSeconds.hour));
const thisHour = sql`(${now} - ${now} % ${hour})`;
const operator = sql`record.operator`;

const countOf = (name: string) => sql`coalesce(sum(${count}) FILTER (WHERE ${metric} = ${sql.raw(`'${name}'`)}), 0)`;

/** The sums of the hours in a window. */
const sums = sql`SELECT
    ${countOf("bids")} AS bids, ${countOf("wins")} AS wins, ${countOf("fills")} AS fills, ${countOf("cancelled")} AS cancelled,
    ${countOf("surplus_bps")} AS bps_count,
    coalesce(sum(${amount}) FILTER (WHERE ${metric} = 'surplus_bps'), 0) AS bps_sum,
    ${dollarsOfAmounts(amount, sql`${metric} = 'surplus'`)} AS surplus,
    ${dollarsOfAmounts(amount, sql`${metric} = 'fills'`)} AS volume
  FROM ${pricedHours}
  WHERE ${participantHour.kind} = 'solver' AND ${participantHour.key} = ${operator}
    AND ${metric} IN ('bids', 'wins', 'fills', 'cancelled', 'surplus', 'surplus_bps') AND ${start} >= span.start`;

/**
 * The exact median from the number of fills for each number of blocks: the mean of the first that at least half of the fills
 * reach, and of the first that more than half of them reach.
 */
const median = sql`SELECT (min(blocks) FILTER (WHERE 2 * upto >= fills) + min(blocks) FILTER (WHERE 2 * upto > fills)) / 2.0 AS blocks
  FROM (
    SELECT blocks, sum(count) OVER (ORDER BY blocks) AS upto, sum(count) OVER () AS fills
    FROM (
      SELECT ${fillLatency.blocks} AS blocks, sum(${fillLatency.count}) AS count FROM ${fillLatency}
      WHERE ${fillLatency.solver} = ${operator} AND CASE WHEN span.start < 0 THEN ${fillLatency.start} = -1
        ELSE ${fillLatency.start} >= span.start END
      GROUP BY 1
    ) AS histogram WHERE count > 0
  ) AS cumulative`;

/**
 * Selections whose intent expired in the window. Expiry has no event: intents whose deadline is in an earlier hour are counted
 * by hour, and those of the current one on read.
 */
const expired = sql`SELECT
    (SELECT coalesce(sum(${openSelection.count}), 0) FROM ${openSelection}
      WHERE ${openSelection.solver} = ${operator} AND ${openSelection.deadlineHour} >= span.start
        AND ${openSelection.deadlineHour} < ${thisHour})
    + (SELECT count(*) FROM ${intent} WHERE ${intent.selectedSolver} = ${operator} AND ${intent.status} = 'OPEN'
        AND ${intent.deadline} >= ${thisHour} AND ${intent.deadline} <= ${now}) AS count`;

type Row = {
  solverId: bigint;
  operator: string;
  window: Window;
  bids: number;
  wins: number;
  fills: number;
  cancelled: number;
  expired: number;
  median: string | null;
  bpsSum: bigint;
  bpsCount: number;
  surplus: string;
  volume: string;
};

const asNumber = (value: SQL) => sql<number>`${value}`.mapWith(Number);

const spanStart = (window: Window) => sql`${sql.placeholder(window)}::numeric`;

const spans = sql.join(
  windowNames.map((window, index) => sql`(${sql.raw(`${index}, '${window}'`)}, ${spanStart(window)})`),
  sql`, `,
);

const selectPerformance = preparedQuery((db: IndexDatabase) =>
  db
    .select({
      solverId: sql`record.solver_id`.mapWith(BigInt),
      operator: sql<string>`record.operator`,
      window: sql<Window>`span.name`,
      bids: asNumber(sql`sums.bids`),
      wins: asNumber(sql`sums.wins`),
      fills: asNumber(sql`sums.fills`),
      cancelled: asNumber(sql`sums.cancelled`),
      expired: asNumber(sql`expired.count`),
      median: sql<string | null>`trim_scale(median.blocks)::text`,
      bpsSum: sql`sums.bps_sum`.mapWith(BigInt),
      bpsCount: asNumber(sql`sums.bps_count`),
      surplus: dollarText(sql`sums.surplus`) as SQL<string>,
      volume: dollarText(sql`sums.volume`) as SQL<string>,
    })
    .from(sql`(SELECT ${solver.solverId}, ${solver.operator} FROM ${solver} WHERE ${eq(solver.solverId, sql.placeholder("id"))}) AS record
      CROSS JOIN (VALUES ${spans}) AS span(number, name, start)
      CROSS JOIN LATERAL (${sums}) AS sums
      CROSS JOIN LATERAL (${median}) AS median
      CROSS JOIN LATERAL (${expired}) AS expired`)
    .orderBy(sql`span.number`),
);

type Values = { id: bigint; now: bigint; chainId: number } & Record<Window, bigint>;

const toWire = (row: Row, now: bigint): z.input<typeof Performance> => {
  const from = startOfWindow(row.window, now);
  return {
    window: row.window,
    from: from === null ? null : String(from),
    bids: String(row.bids),
    wins: String(row.wins),
    win_rate: winRate(row),
    fills: String(row.fills),
    failed_fills: String(row.cancelled + row.expired),
    median_latency_blocks: row.median,
    avg_surplus_bps: row.bpsCount === 0 ? null : average(row.bpsSum, row.bpsCount),
    surplus_usd: row.surplus,
    volume_usd: row.volume,
  };
};

const getPerformance = operation({
  route: "GET /solvers/{id}/performance",
  summary: "A solver's record in 24 hours, 7 and 30 days, and ever.",
  description: "Bids, wins, fills, latency, surplus and volume.",
  input: z.object({ id }),
  output: Output,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { id }) {
    await context.store();
    const { now } = await context.clock();
    const starts = Object.fromEntries(windowNames.map((window) => [window, startOfWindow(window, now) ?? -1n]));
    const values = { id, now, chainId: context.config.chainId, ...starts } as Values;
    const rows: Row[] = await selectPerformance(context.db, values);
    const [first] = rows;
    if (!first) throw new NotFound(`Solver ${id} not found`);
    return {
      solver_id: String(first.solverId),
      operator: first.operator,
      windows: rows.map((row) => toWire(row, now)),
    };
  },
});

export const solverPerformance = { performance: getPerformance };
