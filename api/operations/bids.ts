import { and, count, eq, gte, lt, ne, placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Address } from "viem";
import { bid, bidSelection, intent } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import type { Config } from "../core/context";
import { NotFound } from "../core/errors";
import { id, shortText, statusFilter } from "../core/inputs";
import { listOutput, pagedList, pageInput } from "../core/list";
import type { Now } from "../core/list-queries";
import { operation, z } from "../core/operation";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { offchainBidId, offchainNumber, onchainBidId } from "../offchain/bids";
import { offchainBid } from "../offchain/tables";
import { dollarField } from "../prices/value";
import { dollarsAt, Price, priceOf, SurplusBps, SurplusUsd, surplusBps } from "./trade-values";

export const bidStatuses = ["open", "selected", "rejected", "expired"] as const;

export const Bid = z
  .strictObject({
    bid_id: z.string().openapi({ example: "1-2" }),
    chain_bid_id: uintText
      .nullable()
      .openapi({ description: "The bid id for `IntentBook.selectBid`. Null for off-chain bids." }),
    intent_id: uintText,
    solver: addressText,
    input_token: addressText
      .nullable()
      .openapi({ description: "The token that the intent sells. Null if the intent is unknown." }),
    output_token: addressText
      .nullable()
      .openapi({ description: "The token that the intent buys. Null if the intent is unknown." }),
    amount_in: uintText,
    amount_out: uintText,
    amount_in_usd: dollarsAt("bid"),
    amount_out_usd: dollarsAt("bid"),
    price: Price,
    surplus_bps: SurplusBps.openapi({
      description:
        "The amount out beyond the intent's minimum, in basis points of the minimum, rounded down. Only of off-chain bids, it may be negative. Null if the minimum is 0.",
    }),
    surplus_usd: SurplusUsd,
    fee: uintText,
    valid_until: timeText,
    execution_hash: hashText.nullable(),
    execution_plan: z.record(z.string(), z.unknown()).nullable().openapi({ example: null }),
    status: z.enum(["OPEN", "SELECTED", "REJECTED", "EXPIRED"]),
    source: z.enum(["onchain", "offchain"]),
    block_number: uintText.nullable(),
    tx_hash: hashText.nullable(),
    created_at: timeText,
    selected_at: timeText.nullable(),
  })
  .openapi("Bid");

export type BidText = z.input<typeof Bid>;

/** Off-chain bids follow the on-chain ones in the order of creation. On-chain ids are smaller than this. */
const OFFCHAIN_ORDER = sql.raw(String(2n ** 256n));

/** A filled or cancelled intent rejects all bids that are not selected. */
const isDecided = ne(intent.status, "OPEN");

/** The status of an on-chain bid, apart from its expiry. */
export const onchainState = sql<State>`CASE
  WHEN ${intent.selectedBidId} = ${bid.bidId} THEN 'SELECTED'
  WHEN ${bidSelection.bidId} IS NOT NULL OR ${isDecided} THEN 'REJECTED'
  ELSE 'OPEN' END`;

/** The same for an off-chain bid. An on-chain selection overrides an off-chain one. */
export const offchainState = sql<State>`CASE
  WHEN ${offchainBid.status} = 'SELECTED' AND ${intent.selectedBidId} IS NULL THEN 'SELECTED'
  WHEN ${offchainBid.status} <> 'OPEN' OR ${isDecided} THEN 'REJECTED'
  ELSE 'OPEN' END`;

type State = "OPEN" | "SELECTED" | "REJECTED";

export const isIntentOfBid = eq(intent.intentId, bid.intentId);
export const isSelectionOfBid = and(eq(bidSelection.intentId, bid.intentId), eq(bidSelection.bidId, bid.bidId));
const isIntentOfOffchainBid = and(
  eq(offchainBid.chainId, placeholder("chainId")),
  eq(offchainBid.intentHash, intent.intentHash),
);

/** What a bid is worth, which depends on its intent. */
const worthFields = (amountIn: PgColumn, amountOut: PgColumn, createdAt: PgColumn) => ({
  inputToken: intent.inputToken,
  outputToken: intent.outputToken,
  minimum: intent.amountOutMin,
  amountInUsd: dollarField(amountIn, intent.inputToken, createdAt).as("amount_in_usd"),
  amountOutUsd: dollarField(amountOut, intent.outputToken, createdAt).as("amount_out_usd"),
  surplusUsd: dollarField(sql`(${amountOut} - ${intent.amountOutMin})`, intent.outputToken, createdAt).as(
    "surplus_usd",
  ),
});

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
  selectedAt: sql<string | null>`${bidSelection.selectedAt}::numeric`.as("selected_at"),
  ...worthFields(bid.amountIn, bid.amountOut, bid.createdAt),
};

export const offchainOrder = sql<string>`(${offchainBid.number} + ${OFFCHAIN_ORDER})`;

const offchainFields = {
  amountOut: offchainBid.amountOut,
  amountIn: offchainBid.amountIn,
  fee: offchainBid.fee,
  createdAt: sql`${offchainBid.createdAt}::numeric`.mapWith(BigInt).as("created_at"),
  order: offchainOrder.as("order"),
  intentId: intent.intentId,
  number: sql`${offchainBid.number}::numeric`.mapWith(BigInt).as("number"),
  isOnchain: sql<boolean>`false`.as("is_onchain"),
  solver: offchainBid.solver,
  validUntil: offchainBid.validUntil,
  executionHash: sql<string | null>`NULL::text`.as("execution_hash"),
  executionPlan: sql<Record<string, unknown> | null>`${offchainBid.executionPlan}::json`.as("execution_plan"),
  state: offchainState.as("state"),
  blockNumber: sql<string | null>`NULL::numeric`.as("block_number"),
  txHash: sql<string | null>`NULL::text`.as("tx_hash"),
  selectedAt: sql<string | null>`${offchainBid.selectedAt}::numeric`.as("selected_at"),
  ...worthFields(offchainBid.amountIn, offchainBid.amountOut, offchainBid.createdAt),
};

export const selectOnchain = (db: Selectable) =>
  db
    .select(onchainFields)
    .from(bid)
    .leftJoin(intent, isIntentOfBid)
    .leftJoin(bidSelection, isSelectionOfBid)
    .$dynamic();

export const selectOffchain = (db: Selectable) =>
  db.select(offchainFields).from(intent).innerJoin(offchainBid, isIntentOfOffchainBid).$dynamic();

export type BidRow = Awaited<ReturnType<typeof selectOnchain>>[number];

export type BidStatus = (typeof bidStatuses)[number];

/**
 * Selects the bids with a status. PostgreSQL takes an equality with a state for rare, and would sort all bids instead of
 * reading them in order until the page is full. So the frequent states exclude the others. A bid is valid up to and including the second of `validUntil`. */
export const hasStatus = (status: BidStatus, state: SQL, validUntil: PgColumn, time: Now): SQL | undefined => {
  const isOpen = sql`${state} NOT IN ('SELECTED', 'REJECTED')`;
  switch (status) {
    case "open":
      return and(isOpen, gte(validUntil, time.now));
    case "expired":
      return and(isOpen, lt(validUntil, time.now));
    case "selected":
      return sql`${state} = 'SELECTED'`;
    case "rejected":
      return sql`${state} NOT IN ('OPEN', 'SELECTED')`;
  }
};

/** A bid is valid up to and including the second of `validUntil`. */
export const hasLapsed = ({ validUntil }: { validUntil: bigint }, clock: Clock) => clock.hasReached(validUntil + 1n);

/** A bid, as far as its worth depends on it. */
type Worth = Pick<BidRow, "amountIn" | "amountOut" | "amountInUsd" | "amountOutUsd" | "surplusUsd"> & {
  /** Null if the intent is unknown. */
  inputToken: Address | null;
  outputToken: Address | null;
  minimum: bigint | null;
};

/** The fields of a bid that say what it is worth. */
export const worthOf = (row: Worth, config: Config) => ({
  input_token: row.inputToken,
  output_token: row.outputToken,
  amount_in_usd: row.amountInUsd,
  amount_out_usd: row.amountOutUsd,
  price:
    row.inputToken &&
    row.outputToken &&
    priceOf({ ...row, inputToken: row.inputToken, outputToken: row.outputToken }, config),
  surplus_bps: row.minimum === null ? null : surplusBps(row.amountOut, row.minimum),
  surplus_usd: row.surplusUsd,
});

export const bidToWire = (row: BidRow, clock: Clock, config: Config): BidText => ({
  bid_id: row.isOnchain ? onchainBidId(row.intentId, row.number) : offchainBidId(row.number),
  chain_bid_id: row.isOnchain ? String(row.number) : null,
  intent_id: String(row.intentId),
  solver: row.solver,
  amount_in: String(row.amountIn),
  amount_out: String(row.amountOut),
  ...worthOf(row, config),
  fee: String(row.fee),
  valid_until: String(row.validUntil),
  execution_hash: row.executionHash,
  execution_plan: row.executionPlan,
  status: row.state === "OPEN" && hasLapsed(row, clock) ? "EXPIRED" : row.state,
  source: row.isOnchain ? "onchain" : "offchain",
  block_number: row.blockNumber,
  tx_hash: row.txHash,
  created_at: String(row.createdAt),
  selected_at: row.selectedAt,
});

const listRoute = "GET /intents/{id}/bids";

type Filters = { id: bigint; status?: BidStatus | undefined };

/** Highest output, lowest input, lowest fee, oldest. */
const bestFirst = (columns: readonly [PgColumn, PgColumn, PgColumn, PgColumn, PgColumn | SQL]) => {
  const [amountOut, amountIn, fee, createdAt, order] = columns;
  return [
    { column: amountOut, descending: true, of: (row: BidRow) => row.amountOut },
    { column: amountIn, of: (row: BidRow) => row.amountIn },
    { column: fee, of: (row: BidRow) => row.fee },
    { column: createdAt, of: (row: BidRow) => row.createdAt },
    { column: order, of: (row: BidRow) => row.order },
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
        // Finds the only one by its key.
        status === "selected" ? eq(bid.bidId, intent.selectedBidId) : undefined,
      ],
      orders: { best: bestFirst([bid.amountOut, bid.amountIn, bid.fee, bid.createdAt, bid.bidId]) },
    },
    {
      query: selectOffchain,
      rows: (db) => db.select({ total: count() }).from(intent).innerJoin(offchainBid, isIntentOfOffchainBid).$dynamic(),
      where: ({ id, status }, time) => [
        eq(intent.intentId, id),
        status && hasStatus(status, offchainState, offchainBid.validUntil, time),
      ],
      orders: {
        best: bestFirst([
          offchainBid.amountOut,
          offchainBid.amountIn,
          offchainBid.fee,
          offchainBid.createdAt,
          offchainOrder,
        ]),
      },
    },
  ],
  ["status"],
);

const listBids = operation({
  route: listRoute,
  summary: "The bids on an intent, best first.",
  description:
    "The best bid has the highest amount_out, then the lowest amount_in, then the lowest fee, then the lowest age.",
  input: z.object({ id, status: statusFilter(...bidStatuses).optional(), ...pageInput }),
  output: listOutput("bids", Bid),
  example: { id: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, input) {
    await context.store();
    const clock = await context.clock();
    const { rows, pagination } = await bids(context, context.db, clock, input);
    return { bids: rows.map((row) => bidToWire(row, clock, context.config)), pagination };
  },
});

export const findOnchainBid = preparedQuery(
  (db, key: Placeholders<{ intentId: bigint; bidId: bigint; chainId: number }>) =>
    selectOnchain(db).where(and(eq(bid.intentId, key.intentId), eq(bid.bidId, key.bidId))),
);

const findOffchainBid = preparedQuery((db, { number }: Placeholders<{ number: bigint; chainId: number }>) =>
  selectOffchain(db).where(eq(offchainBid.number, number)),
);

/** The intent and the number of an on-chain bid, from its public id. */
export function onchainKey(bidId: string): { intentId: bigint; bidId: bigint } | null {
  const [, intentId, number] = /^(\d{1,78})-(\d{1,78})$/.exec(bidId) ?? [];
  return intentId && number ? { intentId: BigInt(intentId), bidId: BigInt(number) } : null;
}

const getBid = operation({
  route: "GET /bids/{bidId}",
  summary: "One bid by its id.",
  input: z.object({ bidId: shortText }),
  output: Bid,
  errors: [404],
  example: { bidId: "1-1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { bidId }) {
    const { db, config } = context;
    await context.store();
    const clock = await context.clock();
    const key = onchainKey(bidId);
    const number = offchainNumber(bidId);
    const [row] = key
      ? await findOnchainBid(db, { ...key, chainId: config.chainId })
      : number === null
        ? []
        : await findOffchainBid(db, { number, chainId: config.chainId });
    if (!row) throw new NotFound(`Bid ${bidId} not found`);
    return bidToWire(row, clock, config);
  },
});

export const onchainBids = { get: getBid, list: listBids };
