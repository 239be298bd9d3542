import { type Decimal, times } from "../portfolio/decimal";
import { isAnswered, type Round } from "../portfolio/providers/rpc/price-feeds";

/** An hour is named by its first second, in unix seconds. */
export const HOUR = 3_600n;

/** The ids of a proxy's rounds are the number of its aggregator, the phase, and 64 bits for the aggregator's own round. */
const PHASE_BITS = 64n;

export const phaseOf = (roundId: bigint) => roundId >> PHASE_BITS;
export const roundIdIn = (phase: bigint, round: bigint) => (phase << PHASE_BITS) | round;
export const roundOf = (roundId: bigint) => BigInt.asUintN(Number(PHASE_BITS), roundId);

/** Whether a round had begun at a time, and was not too old. */
export const isInForce = ([, , startedAt, updatedAt]: Round, time: bigint, maxAgeSeconds: number) =>
  startedAt <= time && time <= updatedAt + BigInt(maxAgeSeconds);

/** The newest round of each phase that had begun at a time. */
function newestAt(rounds: readonly Round[], time: bigint): Round[] {
  const newest = new Map<bigint, Round>();
  for (const round of rounds) {
    const [id, , startedAt] = round;
    const known = newest.get(phaseOf(id));
    if (startedAt <= time && (!known || known[0] < id)) newest.set(phaseOf(id), round);
  }
  return [...newest.values()];
}

const newer = (one: Round, other: Round) => (other[0] > one[0] ? other : one);

const earlier = (one: Round, other: Round) =>
  other[2] < one[2] || (other[2] === one[2] && other[0] < one[0]) ? other : one;

const best = (rounds: readonly Round[], choose: (one: Round, other: Round) => Round): Round | undefined =>
  rounds.length > 0 ? rounds.reduce(choose) : undefined;

/**
 * The answer of a feed for an hour: that of the round in force at its first second, which is the newest round of the newest
 * phase in which the newest round is not too old. If no round is in force, or it has no trusted answer: the first answer in
 * the hour.
 */
export function answerOfHour(rounds: readonly Round[], hour: bigint, maxAgeSeconds: number): bigint | undefined {
  const atStart = best(
    newestAt(rounds, hour).filter((round) => isInForce(round, hour, maxAgeSeconds)),
    newer,
  );
  if (atStart && isAnswered(atStart)) return atStart[1];
  const within = rounds.filter(([, , startedAt]) => hour < startedAt && startedAt < hour + HOUR);
  return best(within.filter(isAnswered), earlier)?.[1];
}

/** The product of the answers of all feeds of a token. Null if one has none. */
export function priceOfHour(answers: readonly (Decimal | undefined)[]): Decimal | null {
  const found = answers.filter((answer) => answer !== undefined);
  return found.length > 0 && found.length === answers.length ? found.reduce(times) : null;
}
