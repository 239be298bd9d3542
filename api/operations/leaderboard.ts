import { type SQL, sql } from "drizzle-orm";
import { participantHour, participantTotal } from "../../ponder.schema";
import { exactly, rankingLimit } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, chainText, decimalText, timeText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../indexed/database";
import { preparedQuery } from "../indexed/prepared-query";
import { textLiteral } from "../indexed/text-literal";
import { dollarText } from "../prices/value";
import { type Board, type BoardName, boardNames, boards } from "./rankings/boards";
import {
  candidatesOfToken,
  dollarsOfAmounts,
  isInWindow,
  isOneOf,
  isSelf,
  largestInTokens,
  listedTokens,
  listedTotal,
  pricedHours,
  pricedHoursOfWindow,
  texts,
  withoutSelf,
} from "./rankings/hours";
import { rankingDependencies, startFor, windowInput, windowNames } from "./rankings/windows";

const Ranked = z
  .strictObject({
    rank: z.int().min(1),
    key: z.string().openapi({
      description: "The id of a merchant or a service, or the address of a solver, an agent or a facilitator.",
      example: "1",
    }),
    id: uintText.nullable().openapi({ description: "The id of its record. Null if it is not registered." }),
    name: z.string().nullable().openapi({ description: "The name in its metadata, as its owner wrote it." }),
    owner: addressText.nullable().openapi({ description: "Of a service, the owner of its merchant." }),
    service_id: chainText.nullable().openapi({ description: "Of services." }),
    merchant_id: uintText.nullable().openapi({ description: "Of services." }),
    volume_usd: decimalText,
    counterparties: uintText.openapi({
      description:
        "Of all time, counted once for each listed token: the agents that paid, the merchants that an agent paid, or the owners of the intents that a solver filled. Without itself.",
    }),
    count: uintText.openapi({ description: "Receipts, or fills of solvers." }),
    self_count: uintText.openapi({
      description:
        "Receipts with one owner or payout address on both sides, or a solver's fills of its own intents. Volume and count are without them.",
    }),
  })
  .openapi("RankedParticipant");

const Leaderboard = z
  .strictObject({
    board: z.enum(boardNames),
    window: z.enum(windowNames),
    from: timeText.nullable().openapi({ description: "The start of the window, in unix seconds. Null for all time." }),
    ranking: z.array(Ranked),
  })
  .openapi("Leaderboard");

type Row = {
  key: string;
  id: string | null;
  name: string | null;
  owner: string | null;
  serviceId: string | null;
  merchantId: string | null;
  volumeUsd: string;
  counterparties: string;
  count: string;
  selfCount: string;
};

type Values = { chainId: number; listed: string[]; limit: number; from: bigint };

const { kind, key, metric, count, amount } = participantHour;

const others = withoutSelf(metric, count);

const sums = sql`${dollarsOfAmounts(withoutSelf(metric, amount))} AS dollars,
  sum(${others}) AS count, coalesce(sum(${count}) FILTER (WHERE ${isSelf(metric)}), 0) AS self_count`;

/** The hours of a board's participants in listed tokens. */
const hoursOf = (board: Board) =>
  sql`${kind} = ${textLiteral(board.kind)} AND ${metric} IN ${texts([board.metric, `self_${board.metric}`])}
    AND ${isOneOf(listedTokens)}`;

const limit = sql`${sql.placeholder("limit")}::int`;

/** The sums of everyone with an hour in the window: the ones with most dollars, and those with as much as the last of them. */
const inWindow = (board: Board) => sql`SELECT ${key}, ${sums} FROM ${pricedHoursOfWindow}
  WHERE ${hoursOf(board)} AND ${isInWindow}
  GROUP BY ${key} HAVING sum(${others}) > 0
  ORDER BY dollars DESC FETCH FIRST (${limit}) ROWS WITH TIES`;

/** The sums of all time of the ones with the largest amounts in a listed token. */
const ofAllTime = (board: Board) => sql`SELECT candidate.key, sums.* FROM (
    ${largestInTokens(listedTokens, textLiteral(board.kind), board.metric, candidatesOfToken)} GROUP BY 1
  ) AS candidate CROSS JOIN LATERAL (
    SELECT ${sums} FROM ${pricedHours} WHERE ${hoursOf(board)} AND ${key} = candidate.key
  ) AS sums WHERE sums.count > 0`;

const order = sql`ranked.dollars DESC, ranked.counterparties DESC, ranked.count DESC, ranked.key`;

const rankingOf = (name: BoardName, isAllTime: boolean) => {
  const board = boards[name];
  const counterparties = listedTotal(
    textLiteral(board.kind),
    sql`sums.key`,
    board.metric,
    participantTotal.counterparties,
  );
  return sql`(
    SELECT * FROM (
      SELECT sums.*, ${counterparties} AS counterparties
      FROM (${isAllTime ? ofAllTime(board) : inWindow(board)}) AS sums
    ) AS ranked ORDER BY ${order} LIMIT ${limit}
  ) AS ranked LEFT JOIN LATERAL (${board.record}) AS record ON true`;
};

const select = (name: BoardName, isAllTime: boolean): ((db: IndexDatabase, values: Values) => Promise<Row[]>) =>
  preparedQuery((db: IndexDatabase) =>
    db
      .select({
        key: sql<string>`ranked.key`,
        id: sql<string | null>`record.id`,
        name: sql<string | null>`record.name`,
        owner: sql<string | null>`record.owner`,
        serviceId: sql<string | null>`record.service_id`,
        merchantId: sql<string | null>`record.merchant_id`,
        volumeUsd: dollarText(sql`ranked.dollars`) as SQL<string>,
        counterparties: sql<string>`ranked.counterparties::text`,
        count: sql<string>`ranked.count::text`,
        selfCount: sql<string>`ranked.self_count::text`,
      })
      .from(rankingOf(name, isAllTime))
      .orderBy(order),
  );

const queriesOf = (name: BoardName) => ({ inWindow: select(name, false), ofAllTime: select(name, true) });

const queries: Readonly<Record<BoardName, ReturnType<typeof queriesOf>>> = {
  merchants: queriesOf("merchants"),
  services: queriesOf("services"),
  solvers: queriesOf("solvers"),
  agents: queriesOf("agents"),
  facilitators: queriesOf("facilitators"),
};

const toWire = (row: Row, index: number): z.input<typeof Ranked> => ({
  rank: index + 1,
  key: row.key,
  id: row.id,
  name: row.name,
  owner: row.owner,
  service_id: row.serviceId,
  merchant_id: row.merchantId,
  volume_usd: row.volumeUsd,
  counterparties: row.counterparties,
  count: row.count,
  self_count: row.selfCount,
});

const getLeaderboard = operation({
  route: "GET /leaderboard/{board}",
  summary: "Participants ranked by dollars of listed tokens.",
  description:
    "Then by distinct counterparties, then by receipts or fills. Unlisted tokens and self-dealing count nothing.",
  input: z.object({ board: exactly(...boardNames), window: windowInput, limit: rankingLimit }),
  output: Leaderboard,
  example: { board: "merchants" },
  tool: "leaderboard",
  dependsOn: rankingDependencies,
  async run(context, { board, window, limit }) {
    await context.store();
    const from = await startFor(context, window);
    const { chainId, listed } = context.config;
    const query = queries[board][from === null ? "ofAllTime" : "inWindow"];
    const rows = await query(context.db, { chainId, listed: [...listed.keys()], limit, from: from ?? 0n });
    return { board, window, from: from === null ? null : String(from), ranking: rows.map(toWire) };
  },
});

export const leaderboard = { get: getLeaderboard };
