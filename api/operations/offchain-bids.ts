import { eq, sql } from "drizzle-orm";
import { intent } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import type { Config } from "../core/context";
import { Conflict, NotFound } from "../core/errors";
import { address, id, jsonObject, shortText } from "../core/inputs";
import { countBytes, textBytes } from "../core/limits";
import { operation, z } from "../core/operation";
import type { IndexDatabase } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { findBid, type OffchainBid, offchainBidId, offchainNumber, saveBid, selectBid } from "../offchain/bids";
import type { StoreDatabase } from "../offchain/open";
import { offchainBid } from "../offchain/tables";
import { dollarField } from "../prices/value";
import { Bid, type BidText, findOnchainBid, hasLapsed, onchainKey, worthOf } from "./bids";
import { isExpired } from "./intents";

/** The status of an off-chain bid on an intent that is open and has no selection on chain. */
const offchainStatus = (row: OffchainBid, clock: Clock): BidText["status"] =>
  row.status === "OPEN" && hasLapsed(row, clock) ? "EXPIRED" : row.status;

/** An off-chain bid on an intent that is open and has no selection on chain. */
const offchainToWire = (row: OffchainBid, worth: ReturnType<typeof worthOf>, clock: Clock): BidText => ({
  bid_id: offchainBidId(row.number),
  chain_bid_id: null,
  intent_id: String(row.intentId),
  solver: row.solver,
  amount_in: String(row.amountIn),
  amount_out: String(row.amountOut),
  ...worth,
  fee: String(row.fee),
  valid_until: String(row.validUntil),
  execution_hash: null,
  execution_plan: row.executionPlan === null ? null : JSON.parse(row.executionPlan),
  status: offchainStatus(row, clock),
  source: "offchain",
  block_number: null,
  tx_hash: null,
  created_at: String(row.createdAt),
  selected_at: row.selectedAt === null ? null : String(row.selectedAt),
});

type IntentRow = typeof intent.$inferSelect;

type ValuedBid = Pick<OffchainBid, "number" | "chainId"> &
  Pick<IntentRow, "inputToken" | "outputToken"> & { minimum: bigint };

/** The dollar values of a bid in the store, which a replica of the index may not have yet. */
const findDollars = preparedQuery(
  (db: StoreDatabase, { number, inputToken, outputToken, minimum }: Placeholders<ValuedBid>) => {
    const { amountIn, amountOut, createdAt } = offchainBid;
    const surplus = sql`(${amountOut} - ${minimum}::numeric)`;
    return db
      .select({
        amountInUsd: dollarField(amountIn, sql`${inputToken}`, createdAt),
        amountOutUsd: dollarField(amountOut, sql`${outputToken}`, createdAt),
        surplusUsd: dollarField(surplus, sql`${outputToken}`, createdAt),
      })
      .from(offchainBid)
      .where(eq(offchainBid.number, number));
  },
);

/** What a bid in the store is worth. */
async function findWorth(db: StoreDatabase, row: OffchainBid, of: IntentRow, config: Config) {
  const { inputToken, outputToken, amountOutMin: minimum } = of;
  const { number, chainId } = row;
  const [dollars] = await findDollars(db, { number, chainId, inputToken, outputToken, minimum });
  if (!dollars) throw new Error(`Off-chain bid ${number} not found`);
  return worthOf({ ...row, ...dollars, inputToken, outputToken, minimum }, config);
}

async function findIntent(db: IndexDatabase, id: bigint): Promise<IntentRow | null> {
  const [row] = await db.select().from(intent).where(eq(intent.intentId, id));
  return row ?? null;
}

const DISABLED = "Off-chain bids are disabled on this server; use IntentBook.submitBid and IntentBook.selectBid";

/** Throws {@link Conflict} unless the intent is open. */
function requireOpen(row: IntentRow, clock: Clock): void {
  const status = row.status === "OPEN" && isExpired(row, clock) ? "EXPIRED" : row.status;
  if (status !== "OPEN") throw new Conflict(`Intent ${row.intentId} is ${status}`);
}

const createBid = operation({
  route: "POST /intents/{id}/bids",
  summary: "Places an off-chain bid on an intent, for development.",
  input: z.object({
    id,
    solver: address,
    amount_in: id,
    amount_out: id,
    fee: id.default(0n),
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
  dependsOn: ["index", "store", "time"],
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
    return offchainToWire(row, await findWorth(db, row, found, context.config), clock);
  },
});

const chooseBid = operation({
  route: "POST /bids/{bidId}/select",
  summary: "Selects an off-chain bid, for development.",
  description: "A previously selected bid becomes rejected.",
  input: z.object({ bidId: shortText }),
  output: Bid,
  errors: [401, 403, 404, 409, 429],
  example: { bidId: "offchain-1" },
  writes: true,
  development: DISABLED,
  dependsOn: ["index", "store", "time"],
  async run(context, { bidId }) {
    const { db, config } = context;
    const key = onchainKey(bidId);
    if (key && (await findOnchainBid(db, { ...key, chainId: config.chainId })).length > 0)
      throw new Conflict(`Bid ${bidId} is on chain: the intent's owner selects it with IntentBook.selectBid`);
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
    const selected = await selectBid(store, row, clock.now);
    if (!selected) throw new Conflict(`Bid ${bidId} is no longer open`);
    return offchainToWire(selected, await findWorth(store, selected, found, config), clock);
  },
});

export const offchainBids = { create: createBid, select: chooseBid };
