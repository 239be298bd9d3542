import { eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Address } from "viem";
import { bid, bidSelection, intent } from "../../ponder.schema";
import { BadInput } from "../core/errors";
import { address, id, statusFilter } from "../core/inputs";
import { listOutput, pagedList, pageInput, sortInput } from "../core/list";
import type { SortColumn, Source } from "../core/list-queries";
import { operation, z } from "../core/operation";
import { requireRange, timeRange } from "../core/time-range";
import {
  Bid,
  type BidRow,
  type BidStatus,
  bidStatuses,
  bidToWire,
  hasStatus,
  isIntentOfBid,
  isSelectionOfBid,
  onchainState,
  selectOnchain,
} from "./bids";

type Filters = {
  solver?: Address | undefined;
  status?: BidStatus | undefined;
  intent_id?: bigint | undefined;
  from?: bigint | undefined;
  to?: bigint | undefined;
};

/** The status of a bid, apart from its expiry, in a query of bids alone. */
const state = sql`(SELECT ${onchainState} FROM ${intent} LEFT JOIN ${bidSelection} ON ${isSelectionOfBid} WHERE ${isIntentOfBid})`;

const byTime = (descending: boolean): SortColumn<BidRow>[] => [
  { column: bid.createdAt, descending, of: (row) => row.createdAt },
  { column: bid.intentId, descending, of: (row) => row.intentId },
  { column: bid.bidId, descending, of: (row) => row.number },
];

/** The bids on one intent have ascending ids, so that the primary key has their order. */
const byNumber = (descending: boolean): SortColumn<BidRow>[] => [
  { column: bid.bidId, descending, of: (row) => row.number },
];

const ordersBy = (order: typeof byTime) => ({ newest: order(true), oldest: order(false) });

const orders = ordersBy(byTime);

const source = (sorted: typeof orders): Source<Filters, "status", BidRow> => ({
  query: selectOnchain,
  rows: bid,
  where: ({ solver, status, intent_id, from, to }, time): (SQL | undefined)[] => [
    solver && eq(bid.solver, solver),
    intent_id === undefined ? undefined : eq(bid.intentId, intent_id),
    status && hasStatus(status, state, bid.validUntil, time),
    from && gte(bid.createdAt, from),
    to && lt(bid.createdAt, to),
  ],
  orders: sorted,
});

const route = "GET /bids";
const allBids = pagedList<Filters, BidRow, "status">(route, [source(orders)], ["status"]);
const bidsOnIntent = pagedList<Filters, BidRow, "status">(route, [source(ordersBy(byNumber))], ["status"]);

const listAllBids = operation({
  route,
  summary: "On-chain bids on all intents, newest first.",
  description:
    "`status` requires `solver` or `intent_id`. Off-chain bids, for development, are listed with their intent.",
  input: z.object({
    solver: address.optional(),
    status: statusFilter(...bidStatuses).optional(),
    intent_id: id.optional(),
    ...timeRange("made"),
    sort: sortInput(orders),
    ...pageInput,
  }),
  output: listOutput("bids", Bid),
  example: { solver: "0x90f79bf6eb2c4f870365e785982e1f101e93b906" },
  dependsOn: ["index", "store", "time"],
  check(_, { status, solver, intent_id, ...range }) {
    requireRange(range);
    if (status !== undefined && solver === undefined && intent_id === undefined)
      throw new BadInput("status: requires solver or intent_id, because the status of a bid depends on its intent");
  },
  async run(context, input) {
    await context.store();
    const clock = await context.clock();
    const list = input.intent_id === undefined ? allBids : bidsOnIntent;
    const { rows, pagination } = await list(context, context.db, clock, input);
    return { bids: rows.map((row) => bidToWire(row, clock, context.config)), pagination };
  },
});

export const bidList = { all: listAllBids };
