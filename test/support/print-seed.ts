import { DEFAULT_SEED, seed } from "./seed";

/** Prints the seed once before all tests, unless it is the default. */
export default function printSeed(): void {
  if (seed !== DEFAULT_SEED) console.log(`TEST_SEED=${seed} (set it to run the same tests again)`);
}
