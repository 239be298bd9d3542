import { and, asc, desc, eq, placeholder, type SQL, sql } from "drizzle-orm";
import { bid, intent, solver } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import { NotFound } from "../core/errors";
import { id, limit, offset } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, timeText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../indexed/database";
import { preparedQuery } from "../indexed/prepared-query";
import { offchainBidId, onchainBidId } from "../offchain/bids";
import { offchainBid } from "../offchain/tables";
import { basisPoints } from "./basis-points";
import {
  Bid,
  hasLapsed,
  hasStatus,
  offchainOrder,
  offchainState,
  onchainState,
  selectOffchain,
  selectOnchain,
} from "./bids";

const signedText = z
  .string()
  .regex(/^-?\d+$/)
  .openapi({ example: "-1000" });

const CompetingBid = z
  .strictObject({
    rank: z.int().min(1),
    bid_id: z.string().openapi({ example: "1-2" }),
    solver: addressText,
    solver_id: uintText.nullable().openapi({ description: "Null if the solver is not registered." }),
    source: z.enum(["onchain", "offchain"]),
    status: Bid.shape.status,
    amount_in: uintText,
    amount_out: uintText,
    fee: uintText,
    valid_until: timeText,
    amount_out_difference: signedText.openapi({ description: "amount_out less that of the winner." }),
    difference_bps: z
      .string()
      .regex(/^-?\d+(\.\d{1,6})?$/)
      .nullable()
      .openapi({
        description: "The same in basis points of the winner's amount_out. Null if that is 0.",
        example: "-12.5",
      }),
  })
  .openapi("CompetingBid");

const Winner = z.strictObject({
  bid_id: z.string().openapi({ example: "1-2" }),
  solver: addressText,
  amount_in: uintText,
  amount_out: uintText,
  is_selected: z.boolean().openapi({
    description:
      "Whether the bid is selected. If none is, the winner is the best bid that is valid, or else the best one.",
  }),
});

const Competition = z
  .strictObject({
    intent_id: uintText,
    winner: Winner.nullable().openapi({ description: "Null without bids." }),
    bids: z.array(CompetingBid),
    pagination: z.strictObject({
      limit: z.int().min(1).max(100).openapi({ example: 50 }),
      offset: z.int().min(0).openapi({ example: 0 }),
      count: z.int().min(0).openapi({ description: "Rows in this page.", example: 1 }),
      next_offset: z.int().min(1).nullable().openapi({ description: "Null on the last page.", example: null }),
    }),
  })
  .openapi("Competition");

type Source = "onchain" | "offchain";

const ofIntent = eq(intent.intentId, placeholder("id"));
const ofOnchain = eq(bid.intentId, placeholder("id"));
const time = { now: placeholder("now") } as never;
const BEST_FIRST = sql.raw(`amount_out DESC, amount_in, fee, created_at, "order"`);

/** The bids of an intent from both sources, each with its best `most` bids. */
const bidsOf = (db: IndexDatabase, most: SQL, where: (source: Source) => SQL | undefined) => {
  const onchain = selectOnchain(db)
    .where(and(ofOnchain, where("onchain")))
    .orderBy(desc(bid.amountOut), asc(bid.amountIn), asc(bid.fee), asc(bid.createdAt), asc(bid.bidId));
  const offchain = selectOffchain(db)
    .where(and(ofIntent, where("offchain")))
    .orderBy(
      desc(offchainBid.amountOut),
      asc(offchainBid.amountIn),
      asc(offchainBid.fee),
      asc(offchainBid.createdAt),
      asc(offchainOrder),
    );
  return sql`(${onchain} LIMIT ${most}) UNION ALL (${offchain} LIMIT ${most})`;
};

const one = sql.raw("1");

/** Whether a bid on the intent can be valid. PostgreSQL checks it once, and does not read the bids of other intents. */
const canBeValid = sql`EXISTS (SELECT FROM ${intent} WHERE ${ofIntent} AND ${intent.status} = 'OPEN')`;

/** The selected bid of each source, by a key: PostgreSQL does not read the others. */
const isSelected = (source: Source) =>
  source === "onchain"
    ? eq(bid.bidId, sql`(SELECT ${intent.selectedBidId} FROM ${intent} WHERE ${ofIntent})`)
    : and(eq(offchainBid.status, "SELECTED"), hasStatus("selected", offchainState, offchainBid.validUntil, time));

const isOpen = (source: Source) =>
  source === "onchain"
    ? and(canBeValid, hasStatus("open", onchainState, bid.validUntil, time))
    : and(canBeValid, hasStatus("open", offchainState, offchainBid.validUntil, time));

/** The bid that the others are compared with: the selected one, or the best valid one, or the best one. */
const winnerOf = (db: IndexDatabase) => sql`SELECT * FROM (
    SELECT 1 AS preference, * FROM (${bidsOf(db, one, isSelected)}) AS selected
    UNION ALL SELECT 2, * FROM (${bidsOf(db, one, isOpen)}) AS open
    UNION ALL SELECT 3, * FROM (${bidsOf(db, one, () => undefined)}) AS best
  ) AS candidates ORDER BY preference, ${BEST_FIRST} LIMIT 1`;

const end = sql`${placeholder("end")}::bigint`;

const pageOf = (db: IndexDatabase) =>
  sql`SELECT * FROM (${bidsOf(db, end, () => undefined)}) AS bids ORDER BY ${BEST_FIRST}
    LIMIT ${placeholder("rows")}::bigint OFFSET ${placeholder("offset")}::bigint`;

const bigintOf = (value: SQL) => sql<bigint>`${value}`.mapWith(BigInt);

const fieldsOf = (name: "page" | "winner") => {
  const column = (of: string) => sql.raw(`${name}.${of}`);
  return {
    isOnchain: sql<boolean>`${column("is_onchain")}`,
    number: bigintOf(column("bid_id")),
    solver: sql<string>`${column("solver")}`,
    amountIn: bigintOf(column("amount_in")),
    amountOut: bigintOf(column("amount_out")),
    fee: bigintOf(column("fee")),
    validUntil: bigintOf(column("valid_until")),
    state: sql<"OPEN" | "SELECTED" | "REJECTED">`${column("state")}`,
  };
};

/** One row for each bid of the page, at least one if the intent exists. Each has the winner. */
const selectCompetition = preparedQuery((db: IndexDatabase) =>
  db
    .select({
      intentId: sql`competed.intent_id`.mapWith(BigInt),
      hasBid: sql<boolean>`page.bid_id IS NOT NULL`,
      hasWinner: sql<boolean>`winner.bid_id IS NOT NULL`,
      ...fieldsOf("page"),
      solverId: sql<string | null>`(SELECT ${solver.solverId}::text FROM ${solver}
        WHERE ${solver.operator} = page.solver ORDER BY ${solver.solverId} LIMIT 1)`,
      winner: fieldsOf("winner"),
    })
    .from(sql`(SELECT ${intent.intentId} FROM ${intent} WHERE ${ofIntent}) AS competed
      LEFT JOIN (${winnerOf(db)}) AS winner ON true
      LEFT JOIN (${pageOf(db)}) AS page ON true`)
    .orderBy(sql.raw(`page.amount_out DESC, page.amount_in, page.fee, page.created_at, page."order"`)),
);

type Row = Awaited<ReturnType<typeof selectCompetition>>[number];

const bidIdOf = ({ isOnchain, number }: Pick<Row, "isOnchain" | "number">, intentId: bigint) =>
  isOnchain ? onchainBidId(intentId, number) : offchainBidId(number);

const toWire = (row: Row, rank: number, clock: Clock): z.input<typeof CompetingBid> => {
  const difference = row.amountOut - row.winner.amountOut;
  return {
    rank,
    bid_id: bidIdOf(row, row.intentId),
    solver: row.solver,
    solver_id: row.solverId,
    source: row.isOnchain ? "onchain" : "offchain",
    status: row.state === "OPEN" && hasLapsed(row, clock) ? "EXPIRED" : row.state,
    amount_in: String(row.amountIn),
    amount_out: String(row.amountOut),
    fee: String(row.fee),
    valid_until: String(row.validUntil),
    amount_out_difference: String(difference),
    difference_bps: row.winner.amountOut === 0n ? null : basisPoints(difference, row.winner.amountOut),
  };
};

const getCompetition = operation({
  route: "GET /intents/{id}/competition",
  summary: "The bids on an intent, compared with the winner.",
  description: "Best first. Without a selected bid, the best valid one is the winner.",
  input: z.object({ id, limit, offset: offset.default(0) }),
  output: Competition,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { id, limit, offset }) {
    const { db, config } = context;
    await context.store();
    const clock = await context.clock();
    const rows = limit + 1;
    const values = { id, chainId: config.chainId, now: clock.now, rows, offset, end: rows + offset };
    const found = await selectCompetition(db, values);
    const [first] = found;
    if (!first) throw new NotFound(`Intent ${id} not found`);
    const page = found.filter(({ hasBid }) => hasBid).slice(0, limit);
    const winner = first.hasWinner ? first.winner : null;
    return {
      intent_id: String(first.intentId),
      winner: winner && {
        bid_id: bidIdOf(winner, first.intentId),
        solver: winner.solver,
        amount_in: String(winner.amountIn),
        amount_out: String(winner.amountOut),
        is_selected: winner.state === "SELECTED",
      },
      bids: page.map((row, index) => toWire(row, offset + index + 1, clock)),
      pagination: { limit, offset, count: page.length, next_offset: found.length > limit ? offset + limit : null },
    };
  },
});

export const competition = { competition: getCompetition };
