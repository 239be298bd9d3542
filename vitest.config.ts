import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // What is waited for comes when it comes: a busy machine is no failure.
    expect: { poll: { timeout: 20_000 } },
    globalSetup: "test/support/database-server.ts",
    pool: "forks",
    // Each integration file runs a chain and an indexer; two at a time is what two cores carry.
    poolOptions: { forks: { maxForks: 2, minForks: 1 } },
  },
});
