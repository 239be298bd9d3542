import { and, count, eq, getTableColumns, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { bid, bidSelection, intent } from "../../ponder.schema";
import type { IndexDatabase } from "../services";
import { listOperation } from "./list";
import { z } from "./operation";
import { addressText, hashText, id, oneOf, timeText, uintText } from "./scalars";

/** The name of an on-chain bid over all intents. */
export const onchainBidId = (intentId: bigint, bidId: bigint) => `${intentId}-${bidId}`;

const statuses = ["open", "selected", "rejected", "expired"] as const;

const Bid = z
  .strictObject({
    bid_id: z.string().openapi({ example: "1-2" }),
    chain_bid_id: uintText.nullable().openapi({ description: "What `IntentBook.selectBid` takes." }),
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

const isIntentOfBid = eq(intent.intentId, bid.intentId);
const isSelectionOfBid = and(eq(bidSelection.intentId, bid.intentId), eq(bidSelection.bidId, bid.bidId));

/** Bids with what decides their status: the intent, which names its selection, and whether they ever were it. */
const selectBids = (db: IndexDatabase) =>
  db
    .select({
      ...getTableColumns(bid),
      selected: sql<boolean>`coalesce(${intent.selectedBidId} = ${bid.bidId}, false)`,
      everSelected: sql<boolean>`${isNotNull(bidSelection.bidId)}`,
    })
    .from(bid)
    .leftJoin(intent, isIntentOfBid)
    .leftJoin(bidSelection, isSelectionOfBid)
    .$dynamic();

const countBids = (db: IndexDatabase) =>
  db
    .select({ total: count() })
    .from(bid)
    .leftJoin(intent, isIntentOfBid)
    .leftJoin(bidSelection, isSelectionOfBid)
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectBids>>[number];

/** The rows that have a status at a time; a bid is good up to and with the second it is valid until. */
const hasStatus = (status: (typeof statuses)[number], now: bigint): SQL | undefined => {
  const neverSelected = isNull(bidSelection.bidId);
  return {
    open: and(neverSelected, gte(bid.validUntil, now)),
    expired: and(neverSelected, lt(bid.validUntil, now)),
    selected: eq(intent.selectedBidId, bid.bidId),
    rejected: and(isNotNull(bidSelection.bidId), or(isNull(intent.selectedBidId), ne(intent.selectedBidId, bid.bidId))),
  }[status];
};

const statusOf = ({ selected, everSelected, validUntil }: Row, now: bigint) =>
  selected ? "SELECTED" : everSelected ? "REJECTED" : validUntil < now ? "EXPIRED" : "OPEN";

const toWire = (row: Row, now: bigint): z.input<typeof Bid> => ({
  bid_id: onchainBidId(row.intentId, row.bidId),
  chain_bid_id: String(row.bidId),
  intent_id: String(row.intentId),
  solver: row.solver,
  amount_in: String(row.amountIn),
  amount_out: String(row.amountOut),
  fee: String(row.fee),
  valid_until: String(row.validUntil),
  execution_hash: row.executionHash,
  execution_plan: null,
  status: statusOf(row, now),
  source: "onchain",
  block_number: String(row.blockNumber),
  tx_hash: row.txHash,
  created_at: String(row.createdAt),
});

export const listBids = listOperation({
  route: "GET /intents/{id}/bids",
  summary: "The bids on an intent, best first: most out, then least in, then least fee, then oldest.",
  name: "bids",
  item: Bid,
  filters: { id, status: oneOf(...statuses).optional() },
  example: { id: "1" },
  query: selectBids,
  counting: countBids,
  where: ({ id, status }, now) => [eq(bid.intentId, id), status && hasStatus(status, now)],
  order: [
    { column: bid.amountOut, descending: true, of: (row) => row.amountOut },
    { column: bid.amountIn, of: (row) => row.amountIn },
    { column: bid.fee, of: (row) => row.fee },
    { column: bid.bidId, of: (row) => row.bidId },
  ],
  toWire,
});
