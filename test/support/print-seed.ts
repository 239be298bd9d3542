import { DEFAULT_SEED, seed } from "./seed";

/** Prints a seed that is not the default, once before all tests. */
export default function printSeed(): void {
  if (seed !== DEFAULT_SEED) console.log(`TEST_SEED=${seed} (set it to run the same tests again)`);
}
