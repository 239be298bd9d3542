import { isAnswered, type Round } from "../portfolio/providers/rpc/price-feeds";
import { answerOfHour, HOUR, isInForce, phaseOf, roundIdIn, roundOf } from "./price-of-hour";

/** Reads a round of a feed by its id. Undefined if the feed has no such round. */
export type ReadRound = (id: bigint) => Promise<Round | undefined>;

/** Powers of two up to which an earlier phase's rounds are looked for: a round per second for a century. */
const LOOKED_FOR = Array.from({ length: 32 }, (_, power) => 2n ** BigInt(power));

/** The rounds of one aggregator, whose numbers begin with 1. A few may be missing, but not the last. */
type Phase = { last: bigint; read: ReadRound };

/** The largest number below `high` for which a condition holds that holds from `low` up to some number. */
async function lastWhere(low: bigint, high: bigint, holds: (number: bigint) => Promise<boolean>): Promise<bigint> {
  let [yes, no] = [low, high];
  while (no - yes > 1n) {
    const middle = (yes + no) / 2n;
    if (await holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** Finds the last round of an earlier phase. */
async function findPhase(read: ReadRound): Promise<Phase | undefined> {
  const exists = async (number: bigint) => (await read(number)) !== undefined;
  const found = await Promise.all(LOOKED_FOR.map(exists));
  const largest = LOOKED_FOR.findLast((_, index) => found[index]);
  return largest === undefined ? undefined : { last: await lastWhere(largest, 2n * largest, exists), read };
}

/** The round with this number, or the nearest one below it. */
async function nearest({ read }: Phase, number: bigint): Promise<Round | undefined> {
  for (let at = number; at > 0n; at--) {
    const round = await read(at);
    if (round) return round;
  }
  return undefined;
}

/** The number of the newest round that began at a time or before. Undefined if the phase began later. */
async function numberAt(phase: Phase, time: bigint): Promise<bigint | undefined> {
  const { last } = phase;
  const hasBegun = async (number: bigint) => {
    const round = await nearest(phase, number);
    return round !== undefined && round[2] <= time;
  };
  // Most hours are recent, so the distance from the newest round doubles. One request reads all of these rounds.
  const probes = [last, ...LOOKED_FOR.map((power) => last - power).filter((number) => number > 1n), 1n];
  const begun = await Promise.all(probes.map(hasBegun));
  const index = begun.indexOf(true);
  const low = probes[index];
  return low === undefined ? undefined : lastWhere(low, probes[index - 1] ?? last + 1n, hasBegun);
}

/** The rounds of a phase that began in the hour after `number`, up to the first one with an answer. */
async function roundsWithin({ last, read }: Phase, number: bigint, hour: bigint): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let next = number + 1n; next <= last; next++) {
    const round = await read(next);
    if (!round) continue;
    if (round[2] >= hour + HOUR) break;
    rounds.push(round);
    if (isAnswered(round)) break;
  }
  return rounds;
}

export type FeedHistory = {
  /** The answer of the feed for an hour, by the rule of {@link answerOfHour} over all rounds. */
  answerAt: (hour: bigint, maxAgeSeconds: number) => Promise<bigint | undefined>;
};

/**
 * Finds rounds by binary search over time, so that an hour of last year takes a few dozen reads. `read` keeps what it has
 * read: most searches start with the same rounds. Rounds of a phase are in the order of their time.
 */
export function feedHistory(newestId: bigint, read: ReadRound): FeedHistory {
  const newestPhase = phaseOf(newestId);
  const readIn =
    (phase: bigint): ReadRound =>
    (number) =>
      read(roundIdIn(phase, number));
  const found = new Map<bigint, Promise<Phase | undefined>>([
    [newestPhase, Promise.resolve({ last: roundOf(newestId), read: readIn(newestPhase) })],
  ]);
  const find = (phase: bigint): Promise<Phase | undefined> => {
    const bounds = found.get(phase) ?? findPhase(readIn(phase));
    found.set(phase, bounds);
    return bounds;
  };
  /** From the newest to the first. A feed that is not a proxy has phase 0 only. */
  const phases: bigint[] = [];
  for (let phase = newestPhase; phase >= (newestPhase > 0n ? 1n : 0n); phase--) phases.push(phase);

  /** The newest round in force at the beginning of the hour, and those before it that were too old. */
  async function roundsAtStart(hour: bigint, maxAgeSeconds: number): Promise<Round[]> {
    const rounds: Round[] = [];
    for (const number of phases) {
      const phase = await find(number);
      const at = phase && (await numberAt(phase, hour));
      const round = phase && at !== undefined ? await nearest(phase, at) : undefined;
      if (round) rounds.push(round);
      if (round && isInForce(round, hour, maxAgeSeconds)) break;
    }
    return rounds;
  }

  return {
    async answerAt(hour, maxAgeSeconds) {
      const atStart = await roundsAtStart(hour, maxAgeSeconds);
      const answer = answerOfHour(atStart, hour, maxAgeSeconds);
      if (answer !== undefined) return answer;
      const later = await Promise.all(
        phases.map(async (number) => {
          const phase = await find(number);
          return phase ? roundsWithin(phase, (await numberAt(phase, hour)) ?? 0n, hour) : [];
        }),
      );
      return answerOfHour([...atStart, ...later.flat()], hour, maxAgeSeconds);
    },
  };
}
