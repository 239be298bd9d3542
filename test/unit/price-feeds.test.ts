import { describe, expect, it } from "vitest";
import { answerOf, isSequencerUp } from "../../api/portfolio/providers/rpc/price-feeds";

const NOW = 1_800_000_000n;
const now = { block: NOW, present: NOW };
const HOUR = 3_600;

type Round = [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredInRound: bigint];

describe("the price of a feed", () => {
  const fresh: Round = [7n, 300_000_000_000n, NOW, NOW, 7n];
  const changed = (at: number, value: bigint) => fresh.with(at, value) as Round;

  it("has the feed's decimals", () => {
    expect(answerOf(fresh, 8, HOUR, now)).toEqual({ digits: 300_000_000_000n, scale: 8 });
  });

  it.each<[string, Round]>([
    ["zero", changed(1, 0n)],
    ["negative", changed(1, -1n)],
    ["one second too old", changed(3, NOW - 3_601n)],
    ["from the future", changed(3, NOW + 1n)],
    ["from an incomplete round", changed(3, 0n)],
    ["from round 0", [0n, 1n, NOW, NOW, 0n]],
    ["carried over from an earlier round", changed(4, 6n)],
  ])("is rejected if it is %s", (_, round) => {
    expect(answerOf(round, 8, HOUR, now)).toBeUndefined();
  });

  it("is accepted up to its maximum age", () => {
    expect(answerOf(changed(3, NOW - 3_600n), 8, HOUR, now)).toBeDefined();
  });

  it("is compared with the current time if the node is behind", () => {
    expect(answerOf(fresh, 8, HOUR, { block: NOW, present: NOW + 3_601n })).toBeUndefined();
  });
});

describe("a sequencer", () => {
  const status = (answer: bigint, since: bigint): Round => [1n, answer, since, NOW, 1n];

  it("is up once it has run for an hour", () => {
    expect(isSequencerUp(status(0n, NOW - 3_601n), now)).toBe(true);
    expect(isSequencerUp(status(0n, NOW - 3_600n), now)).toBe(false);
  });

  it("is not up while it is down or its status is unknown", () => {
    expect(isSequencerUp(status(1n, NOW - 86_400n), now)).toBe(false);
    expect(isSequencerUp(status(0n, 0n), now)).toBe(false);
  });
});
