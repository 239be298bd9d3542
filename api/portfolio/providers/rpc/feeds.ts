import { parseAbi } from "viem";
import type { Decimal } from "../../decimal";

/** What is read of a Chainlink feed. */
export const feedAbi = parseAbi([
  "function decimals() view returns (uint8)",
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
]);

/** The result of `latestRoundData`. */
type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredInRound: bigint];

/** The times by which a round is judged, in unix seconds: that of the block it was read at, and the present. */
export type Times = { block: bigint; present: bigint };

/** The answer of a round that can be trusted: positive, finished, neither too old nor from the future. Undefined for any other. */
export function answerOf(
  [roundId, answer, , updatedAt, answeredInRound]: Round,
  decimals: number,
  maxAgeSeconds: number,
  { block, present }: Times,
): Decimal | undefined {
  const isFinished = roundId > 0n && answeredInRound >= roundId && updatedAt > 0n;
  const isFresh = updatedAt <= block && present - updatedAt <= BigInt(maxAgeSeconds);
  return answer > 0n && isFinished && isFresh ? { digits: answer, scale: decimals } : undefined;
}

/** For how long after a rollup's sequencer came back its prices are not trusted: feeds have to catch up first. */
const SEQUENCER_GRACE_SECONDS = 3_600n;

/** Whether a sequencer's uptime feed says that it runs, and has for a while. 0 means up, and `startedAt` is since when. */
export const isSequencerUp = ([, answer, startedAt]: Round, { present }: Times) =>
  answer === 0n && startedAt > 0n && present - startedAt > SEQUENCER_GRACE_SECONDS;
