import { defineConfig } from "vitest/config";
import { runs } from "./test/support/seed";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/print-seed.ts", "test/support/database-server.ts"],
    setupFiles: "test/support/property-tests.ts",
    // TEST_RUNS times as many runs take as many times longer.
    testTimeout: runs(120_000),
    hookTimeout: 240_000,
    // What is waited for comes when it comes: a busy machine is no failure.
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    // Each integration file runs a chain and an indexer; two at a time is what two cores carry.
    poolOptions: { forks: { maxForks: 2, minForks: 1 } },
  },
});
