import { quotientText } from "./dollars";
import type { Facts } from "./facts";

/** An off-chain bid of the store. */
export type OffchainBid = {
  number: bigint;
  intentId: string;
  solver: string;
  amountIn: bigint;
  amountOut: bigint;
  fee: bigint;
  validUntil: bigint;
  status: "OPEN" | "SELECTED" | "REJECTED";
  createdAt: bigint;
};

type Bid = Omit<OffchainBid, "status" | "intentId"> & {
  bid_id: string;
  source: "onchain" | "offchain";
  status: string;
};

/** All bids on an intent, best first. */
function bidsOn(facts: Facts, offchain: readonly OffchainBid[], intentId: string, now: bigint): Bid[] {
  const intent = facts.intents.find((one) => one.intentId === intentId);
  const isDecided = intent?.status !== "OPEN";
  const expired = (validUntil: bigint) => (now > validUntil ? "EXPIRED" : "OPEN");
  const onchain = facts.bidRows
    .filter((bid) => bid.intentId === intentId)
    .map((bid): Bid => {
      const bid_id = `${intentId}-${bid.bidId}`;
      const isSelected = intent?.selectedBidId === bid.bidId;
      const isRejected = isDecided || facts.everSelected.has(bid_id);
      const validUntil = BigInt(bid.validUntil);
      return {
        bid_id,
        number: BigInt(bid.bidId),
        source: "onchain",
        solver: bid.solver,
        amountIn: BigInt(bid.amountIn),
        amountOut: BigInt(bid.amountOut),
        fee: BigInt(bid.fee),
        validUntil,
        createdAt: BigInt(bid.createdAt),
        status: isSelected ? "SELECTED" : isRejected ? "REJECTED" : expired(validUntil),
      };
    });
  const others = offchain
    .filter((bid) => bid.intentId === intentId)
    .map(({ intentId: _, ...bid }): Bid => {
      const isSelected = bid.status === "SELECTED" && intent?.selectedBidId === null;
      const isRejected = isDecided || bid.status !== "OPEN";
      return {
        ...bid,
        bid_id: `offchain-${bid.number}`,
        source: "offchain",
        status: isSelected ? "SELECTED" : isRejected ? "REJECTED" : expired(bid.validUntil),
      };
    });
  const keys = (bid: Bid) => [
    -bid.amountOut,
    bid.amountIn,
    bid.fee,
    bid.createdAt,
    bid.source === "onchain" ? 0n : 1n,
    bid.number,
  ];
  return [...onchain, ...others].sort((one, other) => {
    const [left, right] = [keys(one), keys(other)];
    const index = left.findIndex((value, at) => value !== right[at]);
    return (left[index] ?? 0n) < (right[index] ?? 0n) ? -1 : 1;
  });
}

/** GET /intents/{id}/competition */
export function expectedCompetition(
  facts: Facts,
  offchain: readonly OffchainBid[],
  id: string,
  now: bigint,
  { limit, offset }: { limit: number; offset: number },
) {
  const bids = bidsOn(facts, offchain, id, now);
  const winner =
    bids.find(({ status }) => status === "SELECTED") ?? bids.find(({ status }) => status === "OPEN") ?? bids[0];
  const page = bids.slice(offset, offset + limit);
  const solverId = (solver: string) => facts.solvers.find(({ operator }) => operator === solver)?.solverId ?? null;
  return {
    intent_id: id,
    winner: winner
      ? {
          bid_id: winner.bid_id,
          solver: winner.solver,
          amount_in: String(winner.amountIn),
          amount_out: String(winner.amountOut),
          is_selected: winner.status === "SELECTED",
        }
      : null,
    bids: page.map((bid, index) => {
      const base = winner?.amountOut ?? 0n;
      const difference = bid.amountOut - base;
      return {
        rank: offset + index + 1,
        bid_id: bid.bid_id,
        solver: bid.solver,
        solver_id: solverId(bid.solver),
        source: bid.source,
        status: bid.status,
        amount_in: String(bid.amountIn),
        amount_out: String(bid.amountOut),
        fee: String(bid.fee),
        valid_until: String(bid.validUntil),
        amount_out_difference: String(difference),
        difference_bps: base === 0n ? null : quotientText(difference * 10_000n, base),
      };
    }),
    pagination: {
      limit,
      offset,
      count: page.length,
      next_offset: bids.length > offset + limit ? offset + limit : null,
    },
  };
}
