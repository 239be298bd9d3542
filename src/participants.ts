import type { Context } from "ponder:registry";
import {
  type fill,
  fillLatency,
  type intent,
  type merchant,
  participantHour,
  participantTotal,
  type paymentProofs,
  type receipt,
} from "ponder:schema";
import { type Address, zeroAddress } from "viem";
import { startOf } from "../common/rows/interval";
import { addTo } from "./lib/add-to";
import { addToPairs } from "./lib/counterparties";
import { type Addition, addToParticipants, type Happened, type Participant } from "./lib/participants";

// What each event adds to the record of its participants (src/schema/participants.ts).

type PaymentProof = (typeof paymentProofs)[number];

type Paid = Pick<
  typeof receipt.$inferSelect,
  "agent" | "merchantId" | "serviceNumericId" | "facilitator" | "paymentRail" | "token" | "amount"
>;

/** The number of a pair's receipts that have a proof. */
const provenBy = { settlement: "settlements", facilitator: "facilitated", claim: "claims" } as const;

/** The participants of a receipt that have counterparties, each with its own. */
function pairsOf({ agent, merchantId, serviceNumericId, facilitator, token }: Paid) {
  const merchantKey = String(merchantId);
  const pairs: (Participant & { token: Address; counterparty: string })[] = [
    { kind: "agent", key: agent, token, counterparty: merchantKey },
    { kind: "merchant", key: merchantKey, token, counterparty: agent },
    { kind: "service", key: String(serviceNumericId), token, counterparty: agent },
  ];
  if (facilitator !== zeroAddress) pairs.push({ kind: "facilitator", key: facilitator, token, counterparty: agent });
  return pairs;
}

/** Whether the payer is the seller. False if the merchant is unknown. */
export const isSelfDealt = (
  agent: Address,
  seller: Pick<typeof merchant.$inferSelect, "owner" | "payoutAddress"> | null,
) => seller !== null && (agent === seller.owner || agent === seller.payoutAddress);

/** Counts a new receipt. */
export async function countReceipt(
  happened: Happened,
  paid: Paid,
  { paymentProof, isSelf }: { paymentProof: PaymentProof; isSelf: boolean },
): Promise<void> {
  const { token, amount, paymentRail } = paid;
  const pairs = pairsOf(paid);
  const time = happened.event.block.timestamp;
  const changes = await addToPairs(happened.context.db, pairs, { [provenBy[paymentProof]]: 1, isSelf, time });
  const additions: Addition[] = [{ kind: "payment_rail", key: String(paymentRail), metric: "receipts", token, amount }];
  for (const { kind, key } of pairs) {
    additions.push({ kind, key, metric: "receipts", token, amount, isSelf, ...changes.get(kind) });
    if (isSelf) additions.push({ kind, key, metric: "self_receipts", token, amount });
  }
  await addToParticipants(happened, additions);
}

/** Counts a receipt as proven by a settlement, and no longer by its earlier proof. */
export async function countProof(
  db: Context["db"],
  paid: Paid & Pick<typeof receipt.$inferSelect, "settledAt">,
  earlier: Exclude<PaymentProof, "settlement">,
): Promise<void> {
  const { token, settledAt: time } = paid;
  const pairs = pairsOf(paid);
  const changes = await addToPairs(db, pairs, { settlements: 1, [provenBy[earlier]]: -1, isSelf: false, time });
  for (const { kind, key } of pairs) {
    const credit = changes.get(kind)?.credit ?? 0;
    await addTo(db, participantTotal, { kind, key, metric: "receipts", token }, { credit });
  }
}

/** Counts a bid, a selection (by itself: the solver owns the intent), or the cancellation of an intent that had selected the solver. */
export async function countForSolver(
  { context: { db }, event }: Happened,
  solver: Address,
  metric: "bids" | "wins" | "self_wins" | "cancelled",
): Promise<void> {
  const row = { kind: "solver", key: solver, metric, token: "" } as const;
  await addTo(db, participantHour, { ...row, start: startOf("hour", event.block.timestamp) }, { count: 1 });
  await addTo(db, participantTotal, row, { count: 1 });
}

const BASIS_POINTS = 10_000n;

/** The `start` of the fills of all time in `fill_latency`. */
const ALL_TIME = -1n;

type Filled = Pick<typeof fill.$inferSelect, "solver" | "amountIn" | "amountOut" | "blockNumber">;

/** Counts the fill of an intent. */
export async function countFill(happened: Happened, filled: Filled, of: typeof intent.$inferSelect): Promise<void> {
  const { solver, amountIn, amountOut, blockNumber } = filled;
  const { owner, inputToken, outputToken, amountOutMin, blockNumber: submittedIn } = of;
  const { db } = happened.context;
  const time = happened.event.block.timestamp;
  const participant = { kind: "solver", key: solver } as const;
  const pair = { ...participant, token: inputToken, counterparty: owner };
  const isSelf = solver === owner;
  const changes = await addToPairs(db, [pair], { settlements: 1, isSelf, time });
  const surplus = amountOut - amountOutMin;
  const additions: Addition[] = [
    { ...participant, metric: "fills", token: inputToken, amount: amountIn, isSelf, ...changes.get("solver") },
    { ...participant, metric: "surplus", token: outputToken, amount: surplus, isSelf },
  ];
  if (amountOutMin > 0n) {
    const amount = (surplus * BASIS_POINTS) / amountOutMin;
    additions.push({ ...participant, metric: "surplus_bps", token: "", amount });
  }
  if (isSelf) {
    additions.push({ ...participant, metric: "self_fills", token: inputToken, amount: amountIn });
    additions.push({ ...participant, metric: "self_surplus", token: outputToken, amount: surplus });
  }
  await addToParticipants(happened, additions);
  const blocks = blockNumber - submittedIn;
  const latencies = [startOf("hour", time), ALL_TIME].map((start) => ({ solver, start, blocks }));
  await addTo(db, fillLatency, latencies, { count: 1 });
}
