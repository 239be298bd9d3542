import { and, count, eq, getTableColumns, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { bid, bidSelection, intent } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import { Conflict, NotFound } from "../core/errors";
import { address, id, jsonObject, oneOf, shortText } from "../core/inputs";
import { countBytes, textBytes } from "../core/limits";
import { countRows, listOutput, mergePages, pageInput, type Source } from "../core/list";
import { operation, z } from "../core/operation";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
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

const isIntentOfBid = eq(intent.intentId, bid.intentId);
const isSelectionOfBid = and(eq(bidSelection.intentId, bid.intentId), eq(bidSelection.bidId, bid.bidId));

/** Selects bids with the inputs of their status: whether they are selected now, and whether they ever were. */
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

type OnchainRow = Awaited<ReturnType<typeof selectBids>>[number];

type Status = (typeof statuses)[number];

/** A bid is valid up to and including the second of `validUntil`. */
const hasLapsed = ({ validUntil }: { validUntil: bigint }, clock: Clock) => clock.hasReached(validUntil + 1n);

/** Selects the on-chain bids with a status at time `now`. A bid is valid until and including its `validUntil`. */
const hasStatus = (status: Status, { now }: Clock): SQL | undefined => {
  const neverSelected = isNull(bidSelection.bidId);
  return {
    open: and(neverSelected, gte(bid.validUntil, now)),
    expired: and(neverSelected, lt(bid.validUntil, now)),
    selected: eq(intent.selectedBidId, bid.bidId),
    rejected: and(isNotNull(bidSelection.bidId), or(isNull(intent.selectedBidId), ne(intent.selectedBidId, bid.bidId))),
  }[status];
};

/** Selects the off-chain bids with a status at time `now`. An on-chain selection overrides an off-chain one. */
const hasOffchainStatus = (status: Status, { now }: Clock, chainSelected: boolean): SQL | undefined => {
  const open = eq(offchainBid.status, "OPEN");
  const selected = eq(offchainBid.status, "SELECTED");
  const rejected = eq(offchainBid.status, "REJECTED");
  return {
    open: and(open, gte(offchainBid.validUntil, now)),
    expired: and(open, lt(offchainBid.validUntil, now)),
    selected: chainSelected ? sql`false` : selected,
    rejected: chainSelected ? or(selected, rejected) : rejected,
  }[status];
};

const onchainToWire = (row: OnchainRow, clock: Clock): BidText => ({
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
  status: row.selected ? "SELECTED" : row.everSelected ? "REJECTED" : hasLapsed(row, clock) ? "EXPIRED" : "OPEN",
  source: "onchain",
  block_number: String(row.blockNumber),
  tx_hash: row.txHash,
  created_at: String(row.createdAt),
});

const offchainStatus = (row: OffchainBid, clock: Clock, chainSelected: boolean): BidText["status"] => {
  if (row.status === "OPEN") return hasLapsed(row, clock) ? "EXPIRED" : "OPEN";
  return row.status === "SELECTED" && chainSelected ? "REJECTED" : row.status;
};

const offchainToWire = (row: OffchainBid, intentId: bigint, clock: Clock, chainSelected: boolean): BidText => ({
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
  status: offchainStatus(row, clock, chainSelected),
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

export const listBids = operation({
  route: listRoute,
  summary: "The bids on an intent, best first: highest amount_out, lowest amount_in, lowest fee, oldest.",
  input: z.object({ id, status: oneOf(...statuses).optional(), ...pageInput }),
  output: listOutput("bids", Bid),
  example: { id: "1" },
  async run(context, input) {
    const { db, config, store } = context;
    const [clock, offchain, found] = await Promise.all([context.clock(), store(), findIntent(db, input.id)]);
    const chainSelected = (found?.selectedBidId ?? null) !== null;
    const ofChain: Source<OnchainRow> = {
      query: selectBids(db),
      counting: countBids(db),
      where: [eq(bid.intentId, input.id), input.status && hasStatus(input.status, clock)],
      order: [
        { column: bid.amountOut, descending: true, of: (row) => row.amountOut },
        { column: bid.amountIn, of: (row) => row.amountIn },
        { column: bid.fee, of: (row) => row.fee },
        { column: bid.createdAt, of: (row) => row.createdAt },
        { column: bid.bidId, of: (row) => row.bidId },
      ],
    };
    const ofStore: Source<OffchainBid> = {
      query: offchain.select().from(offchainBid).$dynamic(),
      counting: countRows(offchain, offchainBid),
      where: [
        eq(offchainBid.chainId, config.chainId),
        eq(offchainBid.intentHash, found?.intentHash ?? ""),
        input.status && hasOffchainStatus(input.status, clock, chainSelected),
      ],
      order: [
        { column: offchainBid.amountOut, descending: true, of: (row) => row.amountOut },
        { column: offchainBid.amountIn, of: (row) => row.amountIn },
        { column: offchainBid.fee, of: (row) => row.fee },
        { column: offchainBid.createdAt, of: (row) => row.createdAt },
        { column: offchainBid.number, of: (row) => row.number },
      ],
    };
    const { items, pagination } = await mergePages(config, listRoute, input, [
      { ...ofChain, toItem: (row: OnchainRow) => onchainToWire(row, clock) },
      { ...ofStore, toItem: (row: OffchainBid) => offchainToWire(row, input.id, clock, chainSelected) },
    ]);
    return { bids: items, pagination };
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
    return offchainToWire(row, id, clock, found.selectedBidId !== null);
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
    const status = offchainStatus(row, clock, false);
    if (status !== "OPEN") throw new Conflict(`Bid ${bidId} is ${status}`);
    const selected = await selectBid(store, row);
    if (!selected) throw new Conflict(`Bid ${bidId} is no longer open`);
    return offchainToWire(selected, found.intentId, clock, false);
  },
});
