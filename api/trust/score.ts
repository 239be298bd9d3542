import { creditRules } from "../../common/rows/credit";

/** The figures of a record that determine its score. Whole numbers, at least 0. */
export type ScoredRecord = {
  isActive: boolean;
  /** The credit of the record's receipts in listed tokens. */
  credit: number;
  lostDisputes: number;
  /** Trusted attestors with a valid attestation about the record. */
  attestors: number;
  ageDays: number;
};

/** What the score depends on: its weight in points, and the value that gives half of them. */
const weights = {
  credit: { weight: 70, half: 300 },
  age_days: { weight: 20, half: 90 },
  attestors: { weight: 10, half: 2 },
  lost_disputes_per_mille: { weight: -80, half: 50 },
} as const;

export const scoreInputs = Object.keys(weights) as (keyof typeof weights)[];

type Score = {
  value: number;
  formula: string;
  inputs: { name: keyof typeof weights; value: number; weight: number; half: number; points: number }[];
};

/** The formula as readers of a response see it. */
const FORMULA =
  "value = active ? max(0, sum of points) : 0; points = weight * value / (value + half), without the fraction; " +
  `lost_disputes_per_mille = 1000 * lost / (lost + credit / ${creditRules.settlement}), without the fraction`;

/** Points with diminishing returns: half of the weight at `half`, and never all of it. The fraction is cut off. */
const pointsOf = (value: number, { weight, half }: { weight: number; half: number }) =>
  Number((BigInt(weight) * BigInt(value)) / BigInt(value + half));

/** Lost disputes per thousand of them and of settlements with full credit. */
const perMille = ({ lostDisputes, credit }: ScoredRecord) => {
  const lost = lostDisputes * creditRules.settlement;
  return lost === 0 ? 0 : Number((1000n * BigInt(lost)) / BigInt(lost + credit));
};

/**
 * The score of a record, from 0 to 100, with all that is needed to compute it again.
 *
 * @example
 * scoreOf({ isActive: true, credit: 300, lostDisputes: 0, attestors: 0, ageDays: 90 }).value // 35 + 10
 */
export function scoreOf(record: ScoredRecord): Score {
  const values = {
    credit: record.credit,
    age_days: record.ageDays,
    attestors: record.attestors,
    lost_disputes_per_mille: perMille(record),
  };
  const inputs = scoreInputs.map((name) => ({
    name,
    value: values[name],
    ...weights[name],
    points: pointsOf(values[name], weights[name]),
  }));
  const sum = inputs.reduce((total, { points }) => total + points, 0);
  return { value: record.isActive ? Math.max(0, sum) : 0, formula: FORMULA, inputs };
}
