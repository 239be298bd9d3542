import fc from "fast-check";
import { runs, seed } from "./seed";

// The setup file of every test file. A property that needs more runs than fast-check's 100 sets `numRuns: runs(…)`.
fc.configureGlobal({ seed, numRuns: runs(100) });
