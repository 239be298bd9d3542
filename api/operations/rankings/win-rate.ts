import { average } from "../../core/average";

/**
 * Wins for each bid; null without bids. An owner may select a solver again after another one, and a bid of an earlier window may
 * win in this one, so wins can outnumber bids. The rate is 1 then.
 */
export const winRate = ({ wins, bids }: { wins: number; bids: number }): string | null =>
  bids === 0 ? null : average(BigInt(Math.min(wins, bids)), bids);
