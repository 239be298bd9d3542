import { and, count, eq, gte, lt, ne, placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { bid, bidSelection, intent } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import { Conflict, NotFound } from "../core/errors";
import { address, id, jsonObject, oneOf, shortText } from "../core/inputs";
import { countBytes, textBytes } from "../core/limits";
import { listOutput, type Now, pagedList, pageInput } from "../core/list";
import { operation, z } from "../core/operation";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import type { TextRow } from "../database/prepared-query";
import type { IndexDatabase } from "../index/database";
import {
  findBid,
  type OffchainBid,
  offchainBidId,
  offchainNumber,
  onchainBidId,
  saveBid,
  selectBid,
} from "../store/bids";
import { offchainBid } from "../store/schema";
import { isExpired } from "./intents";

const statuses = ["open", "selected", "rejected", "expired"] as const;

const Bid = z
  .strictObject({
    bid_id: z.string().openapi({ example: "1-2" }),
    chain_bid_id: uintText
      .nullable()
      .openapi({ description: "The bid id for `IntentBook.selectBid`. Null for off-chain bids." }),
    intent_id: uintText,
    solver: addressText,
    amount_in: uintText,
    amount_out: uintText,
    fee: uintText,
    valid_until: timeText,
    execution_hash: hashText.nullable(),
    execution_plan: z.record(z.string(), z.unknown()).nullable().openapi({ example: null }),
    status: z.enum(["OPEN", "SELECTED", "REJECTED", "EXPIRED"]),
    source: z.enum(["onchain", "offchain"]),
    block_number: uintText.nullable(),
    tx_hash: hashText.nullable(),
    created_at: timeText,
  })
  .openapi("Bid");

type BidText = z.input<typeof Bid>;

/** Off-chain bids follow the on-chain ones in the order of creation. On-chain ids are smaller than this. */
const OFFCHAIN_ORDER = sql.raw(String(2n ** 256n));

/** A filled or cancelled intent rejects all bids that are not selected. */
const isDecided = ne(intent.status, "OPEN");

/** The status of an on-chain bid, apart from its expiry. */
const onchainState = sql<State>`CASE
  WHEN ${intent.selectedBidId} = ${bid.bidId} THEN 'SELECTED'
  WHEN ${bidSelection.bidId} IS NOT NULL OR ${isDecided} THEN 'REJECTED'
  ELSE 'OPEN' END`;

/** The same for an off-chain bid. An on-chain selection overrides an off-chain one. */
const offchainState = sql<State>`CASE
  WHEN ${offchainBid.status} = 'SELECTED' AND ${intent.selectedBidId} IS NULL THEN 'SELECTED'
  WHEN ${offchainBid.status} <> 'OPEN' OR ${isDecided} THEN 'REJECTED'
  ELSE 'OPEN' END`;

type State = "OPEN" | "SELECTED" | "REJECTED";

const isIntentOfBid = eq(intent.intentId, bid.intentId);
const isSelectionOfBid = and(eq(bidSelection.intentId, bid.intentId), eq(bidSelection.bidId, bid.bidId));
const isIntentOfOffchainBid = and(
  eq(offchainBid.chainId, placeholder("chainId")),
  eq(offchainBid.intentHash, intent.intentHash),
);

/** The fields of a bid. Those that it is sorted by come first. */
const onchainFields = {
  amountOut: bid.amountOut,
  amountIn: bid.amountIn,
  fee: bid.fee,
  createdAt: bid.createdAt,
  order: sql<string>`${bid.bidId}`.as("order"),
  intentId: bid.intentId,
  number: bid.bidId,
  isOnchain: sql<boolean>`true`.as("is_onchain"),
  solver: sql<string>`${bid.solver}`.as("solver"),
  validUntil: bid.validUntil,
  executionHash: sql<string | null>`${bid.executionHash}`.as("execution_hash"),
  executionPlan: sql<Record<string, unknown> | null>`NULL::json`.as("execution_plan"),
  state: onchainState.as("state"),
  blockNumber: sql<string | null>`${bid.blockNumber}`.as("block_number"),
  txHash: sql<string | null>`${bid.txHash}`.as("tx_hash"),
};

const offchainOrder = sql<string>`(${offchainBid.number} + ${OFFCHAIN_ORDER})`;

const offchainFields = {
  amountOut: offchainBid.amountOut,
  amountIn: offchainBid.amountIn,
  fee: offchainBid.fee,
  createdAt: sql<bigint>`${offchainBid.createdAt}::numeric`.as("created_at"),
  order: offchainOrder.as("order"),
  intentId: intent.intentId,
  number: sql<bigint>`${offchainBid.number}::numeric`.as("number"),
  isOnchain: sql<boolean>`false`.as("is_onchain"),
  solver: offchainBid.solver,
  validUntil: offchainBid.validUntil,
  executionHash: sql<string | null>`NULL::text`.as("execution_hash"),
  executionPlan: sql<Record<string, unknown> | null>`${offchainBid.executionPlan}::json`.as("execution_plan"),
  state: offchainState.as("state"),
  blockNumber: sql<string | null>`NULL::numeric`.as("block_number"),
  txHash: sql<string | null>`NULL::text`.as("tx_hash"),
};

const selectOnchain = (db: IndexDatabase) =>
  db
    .select(onchainFields)
    .from(bid)
    .leftJoin(intent, isIntentOfBid)
    .leftJoin(bidSelection, isSelectionOfBid)
    .$dynamic();

const selectOffchain = (db: IndexDatabase) =>
  db.select(offchainFields).from(intent).innerJoin(offchainBid, isIntentOfOffchainBid).$dynamic();

type BidRow = Awaited<ReturnType<typeof selectOnchain>>[number];

type Status = (typeof statuses)[number];

/** Selects the bids with a status. A bid is valid up to and including the second of `validUntil`. */
const hasStatus = (status: Status, state: SQL, validUntil: PgColumn, time: Now): SQL | undefined => {
  const isOpen = sql`${state} = 'OPEN'`;
  switch (status) {
    case "open":
      return and(isOpen, gte(validUntil, time.now));
    case "expired":
      return and(isOpen, lt(validUntil, time.now));
    case "selected":
      return sql`${state} = 'SELECTED'`;
    case "rejected":
      return sql`${state} = 'REJECTED'`;
  }
};

/** A bid is valid up to and including the second of `validUntil`. */
const hasLapsed = ({ validUntil }: { validUntil: bigint | string }, clock: Clock) =>
  clock.hasReached(BigInt(validUntil) + 1n);

const toWire = (row: TextRow<BidRow>, clock: Clock): BidText => ({
  bid_id: row.isOnchain ? onchainBidId(row.intentId, row.number) : offchainBidId(row.number),
  chain_bid_id: row.isOnchain ? row.number : null,
  intent_id: row.intentId,
  solver: row.solver,
  amount_in: row.amountIn,
  amount_out: row.amountOut,
  fee: row.fee,
  valid_until: row.validUntil,
  execution_hash: row.executionHash,
  execution_plan: row.executionPlan,
  status: row.state === "OPEN" && hasLapsed(row, clock) ? "EXPIRED" : row.state,
  source: row.isOnchain ? "onchain" : "offchain",
  block_number: row.blockNumber,
  tx_hash: row.txHash,
  created_at: row.createdAt,
});

/** The status of an off-chain bid on an intent that is open and has no selection on chain. */
const offchainStatus = (row: OffchainBid, clock: Clock): BidText["status"] =>
  row.status === "OPEN" && hasLapsed(row, clock) ? "EXPIRED" : row.status;

/** An off-chain bid on an intent that is open and has no selection on chain. */
const offchainToWire = (row: OffchainBid, intentId: bigint, clock: Clock): BidText => ({
  bid_id: offchainBidId(row.number),
  chain_bid_id: null,
  intent_id: String(intentId),
  solver: row.solver,
  amount_in: String(row.amountIn),
  amount_out: String(row.amountOut),
  fee: String(row.fee),
  valid_until: String(row.validUntil),
  execution_hash: null,
  execution_plan: row.executionPlan === null ? null : JSON.parse(row.executionPlan),
  status: offchainStatus(row, clock),
  source: "offchain",
  block_number: null,
  tx_hash: null,
  created_at: String(row.createdAt),
});

type IntentRow = typeof intent.$inferSelect;

async function findIntent(db: IndexDatabase, id: bigint): Promise<IntentRow | null> {
  const [row] = await db.select().from(intent).where(eq(intent.intentId, id));
  return row ?? null;
}

const listRoute = "GET /intents/{id}/bids";

type Filters = { id: bigint; status?: Status | undefined };

/** Highest output, lowest input, lowest fee, oldest. */
const bestFirst = (columns: readonly [PgColumn, PgColumn, PgColumn, PgColumn, PgColumn | SQL]) => {
  const [amountOut, amountIn, fee, createdAt, order] = columns;
  return [
    { column: amountOut, descending: true, of: (row: TextRow<BidRow>) => row.amountOut },
    { column: amountIn, of: (row: TextRow<BidRow>) => row.amountIn },
    { column: fee, of: (row: TextRow<BidRow>) => row.fee },
    { column: createdAt, of: (row: TextRow<BidRow>) => row.createdAt },
    { column: order, of: (row: TextRow<BidRow>) => row.order },
  ];
};

const bids = pagedList<Filters, BidRow, "status">(
  listRoute,
  [
    {
      query: selectOnchain,
      rows: (db) =>
        db
          .select({ total: count() })
          .from(bid)
          .leftJoin(intent, isIntentOfBid)
          .leftJoin(bidSelection, isSelectionOfBid)
          .$dynamic(),
      where: ({ id, status }, time) => [
        eq(bid.intentId, id),
        status && hasStatus(status, onchainState, bid.validUntil, time),
      ],
      order: bestFirst([bid.amountOut, bid.amountIn, bid.fee, bid.createdAt, bid.bidId]),
    },
    {
      query: selectOffchain,
      rows: (db) => db.select({ total: count() }).from(intent).innerJoin(offchainBid, isIntentOfOffchainBid).$dynamic(),
      where: ({ id, status }, time) => [
        eq(intent.intentId, id),
        status && hasStatus(status, offchainState, offchainBid.validUntil, time),
      ],
      order: bestFirst([
        offchainBid.amountOut,
        offchainBid.amountIn,
        offchainBid.fee,
        offchainBid.createdAt,
        offchainOrder,
      ]),
    },
  ],
  ["status"],
);

export const listBids = operation({
  route: listRoute,
  summary: "The bids on an intent, best first: highest amount_out, lowest amount_in, lowest fee, oldest.",
  input: z.object({ id, status: oneOf(...statuses).optional(), ...pageInput }),
  output: listOutput("bids", Bid),
  example: { id: "1" },
  async run(context, input) {
    await context.store();
    const clock = await context.clock();
    const { rows, pagination } = await bids(context, context.db, clock, input);
    return { bids: rows.map((row) => toWire(row, clock)), pagination };
  },
});

const DISABLED = "Off-chain bids are disabled on this server; use IntentBook.submitBid and IntentBook.selectBid";

/** Throws {@link Conflict} unless the intent is open. */
function requireOpen(row: IntentRow, clock: Clock): void {
  const status = row.status === "OPEN" && isExpired(row, clock) ? "EXPIRED" : row.status;
  if (status !== "OPEN") throw new Conflict(`Intent ${row.intentId} is ${status}`);
}

export const createBid = operation({
  route: "POST /intents/{id}/bids",
  summary: "Places an off-chain bid on an intent, for development.",
  input: z.object({
    id,
    solver: address,
    amount_in: id,
    amount_out: id,
    fee: id,
    valid_until: id,
    execution_plan: jsonObject.optional(),
  }),
  output: Bid,
  errors: [401, 403, 404, 409, 413, 429],
  example: {
    id: "6",
    solver: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
    amount_in: "1000000000",
    amount_out: "960000000",
    fee: "0",
    valid_until: "4000000000",
  },
  writes: true,
  development: DISABLED,
  status: 201,
  async run(context, { id, solver, amount_in, amount_out, fee, valid_until, execution_plan }, caller) {
    const [found, clock] = await Promise.all([findIntent(context.db, id), context.clock()]);
    if (!found) throw new NotFound(`Intent ${id} not found`);
    requireOpen(found, clock);
    const bid = {
      chainId: context.config.chainId,
      intentHash: found.intentHash,
      intentId: id,
      solver,
      amountIn: amount_in,
      amountOut: amount_out,
      fee,
      validUntil: valid_until,
      executionPlan: execution_plan === undefined ? null : JSON.stringify(execution_plan),
      createdAt: clock.now,
    };
    const db = await context.store();
    await countBytes(db, context.config, caller, textBytes(bid));
    const row = await saveBid(db, bid);
    return offchainToWire(row, id, clock);
  },
});

export const chooseBid = operation({
  route: "POST /bids/{bidId}/select",
  summary: "Selects an off-chain bid, for development. A previously selected bid becomes rejected.",
  input: z.object({ bidId: shortText }),
  output: Bid,
  errors: [401, 403, 404, 409, 429],
  example: { bidId: "offchain-1" },
  writes: true,
  development: DISABLED,
  async run(context, { bidId }) {
    const { db, config } = context;
    const onchain = /^(\d{1,78})-(\d{1,78})$/.exec(bidId);
    if (onchain) {
      const [, intentId = "", number = ""] = onchain;
      const [known] = await db
        .select()
        .from(bid)
        .where(and(eq(bid.intentId, BigInt(intentId)), eq(bid.bidId, BigInt(number))));
      if (known)
        throw new Conflict(`Bid ${bidId} is on chain: the intent's owner selects it with IntentBook.selectBid`);
    }
    const number = offchainNumber(bidId);
    const store = await context.store();
    const row = number === null ? null : await findBid(store, config.chainId, number);
    const found = row && (await findIntent(db, row.intentId));
    if (!row || !found || found.intentHash !== row.intentHash) throw new NotFound(`Bid ${bidId} not found`);
    const clock = await context.clock();
    requireOpen(found, clock);
    if (found.selectedBidId !== null) throw new Conflict(`Intent ${found.intentId} has a bid selected on chain`);
    const status = offchainStatus(row, clock);
    if (status !== "OPEN") throw new Conflict(`Bid ${bidId} is ${status}`);
    const selected = await selectBid(store, row);
    if (!selected) throw new Conflict(`Bid ${bidId} is no longer open`);
    return offchainToWire(selected, found.intentId, clock);
  },
});
