import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Round } from "../../api/portfolio/providers/rpc/price-feeds";
import { feedHistory } from "../../api/prices/feed-history";

const HOUR = 3_600n;
const MAX_AGE = 86_400;

const idOf = (phase: number, round: number) => (BigInt(phase) << 64n) | BigInt(round);

/** A round with an answer. */
const roundAt = (id: bigint, startedAt: bigint, answer: bigint, updatedAt = startedAt): Round => [
  id,
  answer,
  startedAt,
  updatedAt,
  id,
];

/** A fake feed, and the ids that were read of it, each time they were read. */
function feedOf(rounds: readonly Round[]) {
  const byId = new Map(rounds.map((round) => [round[0], round]));
  const reads: bigint[] = [];
  const known = new Map<bigint, Promise<Round | undefined>>();
  const newest = rounds.at(-1)?.[0] ?? 0n;
  const history = feedHistory(newest, (id) => {
    const reading = known.get(id) ?? Promise.resolve(byId.get(id));
    if (!known.has(id)) reads.push(id);
    known.set(id, reading);
    return reading;
  });
  return { history, reads, answerAt: (hour: bigint, maxAge = MAX_AGE) => history.answerAt(hour, maxAge) };
}

/** The rule, computed from all rounds with loops. */
function naiveAnswer(rounds: readonly Round[], hour: bigint, maxAge: number): bigint | undefined {
  const phases = [...new Set(rounds.map(([id]) => id / 2n ** 64n))].sort((one, other) => (one > other ? -1 : 1));
  for (const phase of phases) {
    let last: Round | undefined;
    for (const round of rounds) if (round[0] / 2n ** 64n === phase && round[2] <= hour) last = round;
    if (!last || hour > last[3] + BigInt(maxAge)) continue;
    const [id, answer, , updatedAt, answeredIn] = last;
    if (answer > 0n && answeredIn >= id && updatedAt > 0n) return answer;
    break;
  }
  const later = rounds.filter(
    ([id, answer, startedAt, updatedAt, answeredIn]) =>
      startedAt > hour && startedAt < hour + HOUR && answer > 0n && answeredIn >= id && updatedAt > 0n,
  );
  later.sort((one, other) => Number(one[2] - other[2]) || (one[0] < other[0] ? -1 : 1));
  return later[0]?.[1];
}

describe("the answer of a feed for an hour", () => {
  const start = 1_800_000_000n;

  it("is the newest one at its first second", async () => {
    const { answerAt } = feedOf([roundAt(1n, start - 10n, 1n), roundAt(2n, start, 2n), roundAt(3n, start + 1n, 3n)]);
    expect(await answerAt(start)).toBe(2n);
    expect(await answerAt(start - HOUR)).toBe(1n);
    expect(await answerAt(start + HOUR)).toBe(3n);
  });

  it("is too old after the maximum age, counted from the update", async () => {
    const { answerAt } = feedOf([roundAt(1n, start, 1n, start + 100n)]);
    expect(await answerAt(start + HOUR, 3_500)).toBe(1n);
    expect(await answerAt(start + HOUR, 3_499)).toBeUndefined();
  });

  it("is the first one in the hour if there is none at its beginning", async () => {
    const { answerAt } = feedOf([
      roundAt(1n, start - 100_000n, 1n),
      roundAt(2n, start + 3_599n, 2n),
      roundAt(3n, start + 2n * HOUR, 3n),
    ]);
    expect(await answerAt(start)).toBe(2n);
    expect(await answerAt(start - HOUR)).toBeUndefined();
  });

  it.each<[string, Round]>([
    ["zero", roundAt(2n, start, 0n)],
    ["negative", roundAt(2n, start, -5n)],
    ["carried over from an earlier round", [2n, 5n, start, start, 1n]],
  ])("is not an earlier one if the newest is %s", async (_, round) => {
    const rounds = [roundAt(1n, start - 10n, 1n), round];
    expect(await feedOf(rounds).answerAt(start)).toBeUndefined();
    expect(await feedOf([...rounds, roundAt(3n, start + 5n, 3n)]).answerAt(start)).toBe(3n);
  });

  it("ignores a round that has not ended", async () => {
    expect(await feedOf([roundAt(1n, start, 1n), roundAt(2n, start + 5n, 0n, 0n)]).answerAt(start + HOUR)).toBe(
      undefined,
    );
  });

  it("is found in earlier phases of a proxy", async () => {
    const rounds = [
      roundAt(idOf(1, 1), start - 90n * HOUR, 11n),
      roundAt(idOf(1, 2), start - 80n * HOUR, 12n),
      // Phase 2 never answered.
      roundAt(idOf(3, 1), start - 70n * HOUR, 31n),
      roundAt(idOf(3, 2), start - 65n * HOUR, 32n),
      roundAt(idOf(3, 3), start - 60n * HOUR, 33n),
      roundAt(idOf(4, 1), start, 41n),
    ];
    const { answerAt } = feedOf(rounds);
    expect(await Promise.all([85n, 80n, 70n, 65n, 60n, 50n, 0n].map((ago) => answerAt(start - ago * HOUR)))).toEqual([
      11n,
      12n,
      31n,
      32n,
      33n,
      33n,
      41n,
    ]);
  });

  it("is that of the earlier phase as long as the next one has only an old round", async () => {
    const { answerAt } = feedOf([
      roundAt(idOf(1, 1), start - 50n * HOUR, 1n),
      roundAt(idOf(1, 2), start - 5n * HOUR, 2n),
      roundAt(idOf(2, 1), start - 60n * HOUR, 99n),
      roundAt(idOf(2, 2), start, 100n),
    ]);
    expect(await answerAt(start - HOUR)).toBe(2n);
    expect(await answerAt(start)).toBe(100n);
  });

  it("is none without rounds before the end of the hour", async () => {
    expect(await feedOf([roundAt(1n, start + HOUR, 1n)]).answerAt(start)).toBeUndefined();
  });

  it("takes few reads of a feed with 20,000 rounds", async () => {
    const rounds = Array.from({ length: 20_000 }, (_, index) =>
      roundAt(BigInt(index + 1), start + BigInt(index) * 300n, BigInt(index + 1)),
    );
    const recent = feedOf(rounds);
    const end = start + 19_999n * 300n;
    expect(await recent.answerAt(end - HOUR)).toBe(19_988n);
    expect(recent.reads.length).toBeLessThan(22);
    const old = feedOf(rounds);
    const hours = Array.from({ length: 48 }, (_, index) => start + BigInt(index) * HOUR);
    expect(await Promise.all(hours.map((hour) => old.answerAt(hour)))).toEqual(
      hours.map((_, index) => BigInt(index * 12 + 1)),
    );
    expect(old.reads.length).toBeLessThan(6 * 48);
  });

  it("agrees with a search through all rounds", async () => {
    const round = fc.record({
      pause: fc.oneof(fc.nat(100), fc.nat(10_000), fc.nat(200_000)),
      answer: fc.integer({ min: -1, max: 50 }),
      lag: fc.nat(60),
      isCarried: fc.nat(9).map((chance) => chance === 0),
      isMissing: fc.nat(9).map((chance) => chance === 0),
    });
    const phase = fc.record({ offset: fc.nat(300_000), rounds: fc.array(round, { maxLength: 30 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(phase, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.boolean(),
        async (phases, maxAge, isProxy) => {
          const all = (isProxy ? phases : phases.slice(0, 1)).flatMap(({ offset, rounds }, index) => {
            let time = start + BigInt(offset);
            return rounds.flatMap(({ pause, answer, lag, isCarried, isMissing }, position): Round[] => {
              time += BigInt(pause);
              // Rounds that nobody completed are missing.
              const isEdge = position === 0 || position === rounds.length - 1;
              const isEarlier = isProxy && index < phases.length - 1;
              if (isMissing && !isEdge && !isEarlier) return [];
              const id = idOf(isProxy ? index + 1 : 0, position + 1);
              return [[id, BigInt(answer), time, time + BigInt(lag), isCarried ? id - 1n : id]];
            });
          });
          if (all.length === 0) return;
          const { answerAt } = feedOf(all);
          const first = start - (start % HOUR);
          const hours = Array.from({ length: 60 }, (_, index) => first + BigInt(index) * HOUR);
          const found = await Promise.all(hours.map((hour) => answerAt(hour, maxAge)));
          expect(found).toEqual(hours.map((hour) => naiveAnswer(all, hour, maxAge)));
        },
      ),
    );
  });
});
