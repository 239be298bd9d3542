/** The default of TEST_SEED. It is fixed, so that all runs of `npm test` generate the same values. */
export const DEFAULT_SEED = 1;

/** Parses a whole number from 1 to 2^31 - 1, the range of fast-check's seeds. Returns the default if it is unset. */
export function positiveInteger(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value >= 2 ** 31)
    throw new Error(`${name} is ${JSON.stringify(text)}: set it to a whole number from 1 to 2147483647, or unset it`);
  return value;
}

/** The seed of all random values in tests: property tests, random runs, preflight cases. */
export const seed = positiveInteger("TEST_SEED", process.env.TEST_SEED, DEFAULT_SEED);

const factor = positiveInteger("TEST_RUNS", process.env.TEST_RUNS, 1);

/** The number of runs of a property: `usual` in `npm test`, multiplied by TEST_RUNS in `npm run test:deep`. */
export const runs = (usual: number): number => usual * factor;
