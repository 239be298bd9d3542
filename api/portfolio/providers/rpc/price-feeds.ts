import { parseAbi } from "viem";
import type { Decimal } from "../../decimal";

const ROUND = "(uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)";

/** The used functions of a Chainlink price feed. */
export const priceFeedAbi = parseAbi([
  "function decimals() view returns (uint8)",
  `function latestRoundData() view returns ${ROUND}`,
  `function getRoundData(uint80 roundId) view returns ${ROUND}`,
]);

/** The result of `latestRoundData` and `getRoundData`. */
export type Round = readonly [
  roundId: bigint,
  answer: bigint,
  startedAt: bigint,
  updatedAt: bigint,
  answeredInRound: bigint,
];

/** Reference times for a round, in unix seconds: the block's timestamp and the current time. */
export type Times = { block: bigint; present: bigint };

/** Whether the answer of a round is positive, and of this round instead of an earlier one. */
export const isAnswered = ([roundId, answer, , updatedAt, answeredInRound]: Round) =>
  answer > 0n && roundId > 0n && answeredInRound >= roundId && updatedAt > 0n;

/** The answer of a round if it is positive, complete, not stale and not from the future; otherwise undefined. */
export function answerOf(
  round: Round,
  decimals: number,
  maxAgeSeconds: number,
  { block, present }: Times,
): Decimal | undefined {
  const [, answer, , updatedAt] = round;
  const isFresh = updatedAt <= block && present - updatedAt <= BigInt(maxAgeSeconds);
  return isAnswered(round) && isFresh ? { digits: answer, scale: decimals } : undefined;
}

/** Grace period after a rollup's sequencer restarts. Feeds have to catch up first. */
const SEQUENCER_GRACE_SECONDS = 3_600n;

/** Whether the sequencer has been up for the grace period. In its uptime feed 0 means up, since `startedAt`. */
export const isSequencerUp = ([, answer, startedAt]: Round, { present }: Times) =>
  answer === 0n && startedAt > 0n && present - startedAt > SEQUENCER_GRACE_SECONDS;
