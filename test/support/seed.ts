/** The seed of every test unless TEST_SEED says otherwise: two runs of `npm test` generate the same values. */
export const DEFAULT_SEED = 1;

/** A whole number from 1 to 2^31 - 1, the seeds that fast-check takes as they are, or the default if unset. */
export function positiveInteger(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value >= 2 ** 31)
    throw new Error(`${name} is ${JSON.stringify(text)}: set it to a whole number from 1 to 2147483647, or unset it`);
  return value;
}

/** The seed of everything random in tests: property tests, random runs, preflight cases. */
export const seed = positiveInteger("TEST_SEED", process.env.TEST_SEED, DEFAULT_SEED);

const factor = positiveInteger("TEST_RUNS", process.env.TEST_RUNS, 1);

/** The runs of a property: this number in `npm test`, TEST_RUNS times as many in `npm run test:deep`. */
export const runs = (usual: number): number => usual * factor;
