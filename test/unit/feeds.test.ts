import { describe, expect, it } from "vitest";
import { answerOf, isSequencerUp } from "../../api/portfolio/providers/rpc/feeds";

const NOW = 1_800_000_000n;
const now = { block: NOW, present: NOW };
const HOUR = 3_600;

type Round = [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredInRound: bigint];

describe("the answer of a feed", () => {
  const fresh: Round = [7n, 300_000_000_000n, NOW, NOW, 7n];
  const changed = (at: number, value: bigint) => fresh.with(at, value) as Round;

  it("is the price with the feed's decimals", () => {
    expect(answerOf(fresh, 8, HOUR, now)).toEqual({ digits: 300_000_000_000n, scale: 8 });
  });

  it.each<[string, Round]>([
    ["zero", changed(1, 0n)],
    ["negative", changed(1, -1n)],
    ["too old by a second", changed(3, NOW - 3_601n)],
    ["of the future", changed(3, NOW + 1n)],
    ["of a round that never ended", changed(3, 0n)],
    ["of no round", [0n, 1n, NOW, NOW, 0n]],
    ["carried over from an earlier round", changed(4, 6n)],
  ])("is not trusted when it is %s", (_, round) => {
    expect(answerOf(round, 8, HOUR, now)).toBeUndefined();
  });

  it("is trusted until it is too old", () => {
    expect(answerOf(changed(3, NOW - 3_600n), 8, HOUR, now)).toBeDefined();
  });

  it("is judged by the present where the node lags behind it", () => {
    expect(answerOf(fresh, 8, HOUR, { block: NOW, present: NOW + 3_601n })).toBeUndefined();
  });
});

describe("a sequencer", () => {
  const status = (answer: bigint, since: bigint): Round => [1n, answer, since, NOW, 1n];

  it("is up once it has run for an hour", () => {
    expect(isSequencerUp(status(0n, NOW - 3_601n), now)).toBe(true);
    expect(isSequencerUp(status(0n, NOW - 3_600n), now)).toBe(false);
  });

  it("is not up while it is down, or before anything is known of it", () => {
    expect(isSequencerUp(status(1n, NOW - 86_400n), now)).toBe(false);
    expect(isSequencerUp(status(0n, 0n), now)).toBe(false);
  });
});
