import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScoredRecord, scoreOf } from "../../api/trust/score";

const records = fc.record({
  isActive: fc.boolean(),
  credit: fc.nat(1_000_000_000),
  lostDisputes: fc.nat(1_000_000),
  attestors: fc.nat(1_000),
  ageDays: fc.nat(100_000),
});

const fresh: ScoredRecord = { isActive: true, credit: 0, lostDisputes: 0, attestors: 0, ageDays: 0 };

/** The score as a reader computes it, from the inputs of a response alone. */
const computedAgain = (isActive: boolean, inputs: readonly { value: number; weight: number; half: number }[]) => {
  const points = inputs.map(({ value, weight, half }) => Math.trunc((weight * value) / (value + half)));
  return isActive
    ? Math.max(
        0,
        points.reduce((sum, one) => sum + one, 0),
      )
    : 0;
};

describe("the score of a record", () => {
  it("is 0 for a record that has done nothing", () => {
    expect(scoreOf(fresh).value).toBe(0);
  });

  it("gives half of the points at half", () => {
    const { value, inputs } = scoreOf({ ...fresh, credit: 300, ageDays: 90, attestors: 2 });
    expect(inputs.map(({ name, points }) => [name, points])).toEqual([
      ["credit", 35],
      ["age_days", 10],
      ["attestors", 5],
      ["lost_disputes_per_mille", 0],
    ]);
    expect(value).toBe(50);
  });

  it("is 0 for an inactive record", () => {
    expect(scoreOf({ ...fresh, isActive: false, credit: 1_000 }).value).toBe(0);
  });

  it("subtracts for lost disputes by their share, not by their number", () => {
    const small = scoreOf({ ...fresh, credit: 100, lostDisputes: 1 });
    const large = scoreOf({ ...fresh, credit: 10_000, lostDisputes: 1 });
    expect(small.inputs[3]).toMatchObject({ value: 90, points: -51 });
    expect(large.inputs[3]).toMatchObject({ value: 0, points: 0 });
  });

  it("is from 0 to 100, and follows from the inputs of the response", () => {
    fc.assert(
      fc.property(records, (record) => {
        const { value, inputs } = scoreOf(record);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(100);
        expect(computedAgain(record.isActive, inputs)).toBe(value);
      }),
    );
  });

  it("never decreases with more credit, age or attestors", () => {
    fc.assert(
      fc.property(records, fc.nat(10_000), (record, more) => {
        const { value } = scoreOf(record);
        for (const name of ["credit", "ageDays", "attestors"] as const)
          expect(scoreOf({ ...record, [name]: record[name] + more }).value).toBeGreaterThanOrEqual(value);
      }),
    );
  });

  it("never increases with more lost disputes", () => {
    fc.assert(
      fc.property(records, fc.nat(1_000), (record, more) => {
        const lostDisputes = record.lostDisputes + more;
        expect(scoreOf({ ...record, lostDisputes }).value).toBeLessThanOrEqual(scoreOf(record).value);
      }),
    );
  });
});
