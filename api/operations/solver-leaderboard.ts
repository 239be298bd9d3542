import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { participantHour, participantTotal, solverActivity } from "../../ponder.schema";
import { exactly, rankingLimit } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, decimalText, timeText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../indexed/database";
import { preparedQuery } from "../indexed/prepared-query";
import { dollarText } from "../prices/value";
import { boards } from "./rankings/boards";
import {
  candidatesOfToken,
  dollarsOfAmounts,
  isInWindow,
  largestInTokens,
  listedTokens,
  listedTotal,
  pricedHours,
  pricedHoursOfWindow,
  texts,
  withoutSelf,
} from "./rankings/hours";
import { winRate } from "./rankings/win-rate";
import { rankingDependencies, startFor, windowInput, windowNames } from "./rankings/windows";

const criteria = ["volume", "fills", "win_rate", "surplus"] as const;

type Criterion = (typeof criteria)[number];

const RankedSolver = z
  .strictObject({
    rank: z.int().min(1),
    solver: addressText,
    solver_id: uintText.nullable().openapi({ description: "Null if it is not registered." }),
    name: z.string().nullable().openapi({ description: "The name in its metadata, as its owner wrote it." }),
    bids: uintText.openapi({ description: "On-chain bids. They and wins are on intents in any token." }),
    wins: uintText.openapi({
      description:
        "Intents of others that selected a bid of this solver instead of another solver's or none. Its own intents count for none of these figures but bids.",
    }),
    win_rate: decimalText.nullable().openapi({ description: "Wins for each bid, at most 1. Null without bids." }),
    fills: uintText.openapi({ description: "Fills of intents that sell a listed token." }),
    volume_usd: decimalText.openapi({ description: "The inputs of fills, in dollars of listed tokens." }),
    surplus_usd: decimalText.openapi({
      description: "The outputs beyond the intents' minimums, in dollars of listed tokens.",
    }),
    counterparties: uintText.openapi({
      description: "Owners of filled intents, of all time, counted once for each listed token. Without itself.",
    }),
  })
  .openapi("RankedSolver");

const SolverLeaderboard = z
  .strictObject({
    by: z.enum(criteria),
    window: z.enum(windowNames),
    from: timeText.nullable().openapi({ description: "The start of the window, in unix seconds. Null for all time." }),
    ranking: z.array(RankedSolver),
  })
  .openapi("SolverLeaderboard");

/** A solver with fewer bids in the window ranks after the others by its win rate: a single won bid says little. */
const MIN_BIDS = 10;

/** How many of the solvers with most fills are candidates of a ranking of all time, besides those of largest volume and surplus. */
const MOST_FILLS = 100;

const { kind, key, metric, token, count, amount } = participantHour;
const limit = sql`${sql.placeholder("limit")}::int`;
const isListed = sql`${token} = ANY(${listedTokens})`;

const others = (value: SQLWrapper) => withoutSelf(metric, value);

const isOf = (name: "wins" | "fills" | "surplus") => sql`${metric} IN ${texts([name, `self_${name}`])}`;

const sums = sql`coalesce(sum(${count}) FILTER (WHERE ${metric} = 'bids'), 0) AS bids,
  coalesce(sum(${others(count)}) FILTER (WHERE ${isOf("wins")}), 0) AS wins,
  coalesce(sum(${others(count)}) FILTER (WHERE ${isOf("fills")} AND ${isListed}), 0) AS fills,
  ${dollarsOfAmounts(others(amount), isOf("fills"))} AS volume,
  ${dollarsOfAmounts(others(amount), isOf("surplus"))} AS surplus`;

const hours = sql`${kind} = 'solver'
  AND ${metric} IN ('bids', 'wins', 'self_wins', 'fills', 'self_fills', 'surplus', 'self_surplus')`;

const inWindow = sql`SELECT ${key}, ${sums} FROM ${pricedHoursOfWindow}
  WHERE ${hours} AND ${isInWindow} GROUP BY ${key}`;

const ofAllTime = sql`SELECT candidate.key, sums.* FROM (
    ${largestInTokens(listedTokens, sql`'solver'`, "fills", candidatesOfToken)}
    UNION ${largestInTokens(listedTokens, sql`'solver'`, "surplus", candidatesOfToken)}
    UNION (SELECT ${solverActivity.solver} FROM ${solverActivity}
      ORDER BY ${solverActivity.fills} DESC, ${solverActivity.solver} LIMIT ${sql.raw(String(MOST_FILLS))})
  ) AS candidate CROSS JOIN LATERAL (SELECT ${sums} FROM ${pricedHours} WHERE ${hours} AND ${key} = candidate.key) AS sums`;

/** The main column of each order. The same columns follow in all of them. */
const orders: Readonly<Record<Criterion, SQL>> = {
  volume: sql`ranked.volume DESC`,
  fills: sql`ranked.fills DESC`,
  win_rate: sql`ranked.bids >= ${sql.raw(String(MIN_BIDS))} DESC, ranked.win_rate DESC NULLS LAST`,
  surplus: sql`ranked.surplus DESC`,
};

const orderBy = (by: Criterion) =>
  sql`${orders[by]}, ranked.volume DESC, ranked.counterparties DESC, ranked.fills DESC, ranked.key`;

/** Whether a solver is ranked: it has done something that the order compares. */
const conditions: Readonly<Record<Criterion, SQL>> = {
  volume: sql`sums.fills > 0`,
  fills: sql`sums.fills > 0`,
  win_rate: sql`sums.bids > 0`,
  surplus: sql`sums.surplus > 0`,
};

const counterparties = listedTotal(sql`'solver'`, sql`sums.key`, "fills", participantTotal.counterparties);

const rankingBy = (by: Criterion, isAllTime: boolean) => sql`(
    SELECT * FROM (
      SELECT sums.*, ${counterparties} AS counterparties,
        least(sums.wins, sums.bids)::numeric / nullif(sums.bids, 0) AS win_rate
      FROM (${isAllTime ? ofAllTime : inWindow}) AS sums WHERE ${conditions[by]}
    ) AS ranked ORDER BY ${orderBy(by)} LIMIT ${limit}
  ) AS ranked LEFT JOIN LATERAL (${boards.solvers.record}) AS record ON true`;

type Row = {
  solver: string;
  solverId: string | null;
  name: string | null;
  bids: number;
  wins: number;
  fills: number;
  volume: string;
  surplus: string;
  counterparties: string;
};

type Values = { chainId: number; listed: string[]; limit: number; from: bigint };

const select = (by: Criterion, isAllTime: boolean): ((db: IndexDatabase, values: Values) => Promise<Row[]>) =>
  preparedQuery((db: IndexDatabase) =>
    db
      .select({
        solver: sql<string>`ranked.key`,
        solverId: sql<string | null>`record.id`,
        name: sql<string | null>`record.name`,
        bids: sql`ranked.bids`.mapWith(Number),
        wins: sql`ranked.wins`.mapWith(Number),
        fills: sql`ranked.fills`.mapWith(Number),
        volume: dollarText(sql`ranked.volume`) as SQL<string>,
        surplus: dollarText(sql`ranked.surplus`) as SQL<string>,
        counterparties: sql<string>`ranked.counterparties::text`,
      })
      .from(rankingBy(by, isAllTime))
      .orderBy(orderBy(by)),
  );

const queriesOf = (by: Criterion) => ({ inWindow: select(by, false), ofAllTime: select(by, true) });

const queries: Readonly<Record<Criterion, ReturnType<typeof queriesOf>>> = {
  volume: queriesOf("volume"),
  fills: queriesOf("fills"),
  win_rate: queriesOf("win_rate"),
  surplus: queriesOf("surplus"),
};

const toWire = (row: Row, index: number): z.input<typeof RankedSolver> => ({
  rank: index + 1,
  solver: row.solver,
  solver_id: row.solverId,
  name: row.name,
  bids: String(row.bids),
  wins: String(row.wins),
  win_rate: winRate(row),
  fills: String(row.fills),
  volume_usd: row.volume,
  surplus_usd: row.surplus,
  counterparties: row.counterparties,
});

const getSolverLeaderboard = operation({
  route: "GET /solvers/leaderboard",
  summary: "Solvers ranked by volume, fills, win rate or surplus.",
  description: `In listed tokens. By win_rate, solvers with fewer than ${MIN_BIDS} bids are last.`,
  input: z.object({
    by: exactly(...criteria)
      .default("volume")
      .openapi({ default: "volume" }),
    window: windowInput,
    limit: rankingLimit,
  }),
  output: SolverLeaderboard,
  example: { by: "volume" },
  dependsOn: rankingDependencies,
  async run(context, { by, window, limit }) {
    await context.store();
    const from = await startFor(context, window);
    const { chainId, listed } = context.config;
    const query = queries[by][from === null ? "ofAllTime" : "inWindow"];
    const rows = await query(context.db, { chainId, listed: [...listed.keys()], limit, from: from ?? 0n });
    return { by, window, from: from === null ? null : String(from), ranking: rows.map(toWire) };
  },
});

export const solverLeaderboard = { leaderboard: getSolverLeaderboard };
