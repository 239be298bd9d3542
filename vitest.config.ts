import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first";
import { runs } from "./test/support/seed";

const DATABASE = "test/support/database-server.ts";
const SHARED_STACKS = "test/support/shared-stacks.ts";

const project = (
  name: string,
  { globalSetup = [], ...test }: NonNullable<TestProjectInlineConfiguration["test"]> & { globalSetup?: string[] },
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, globalSetup, ...test },
});

export default defineConfig({
  test: {
    setupFiles: "test/support/property-tests.ts",
    // TEST_RUNS multiplies the number of runs, and so the duration.
    testTimeout: runs(300_000),
    hookTimeout: 300_000,
    // Long enough for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
    globalSetup: "test/support/print-seed.ts",
    reporters: ["default", "./test/support/missing-programs.ts"],
    // Both pools run at the same time. Each file with a stack runs a chain, an indexer and a gateway, so two of them at a
    // time keep two cores busy. Files of a process share modules, because loading them takes seconds of CPU.
    poolOptions: {
      forks: { maxForks: 2, minForks: 1, isolate: false },
      threads: { maxThreads: 2, minThreads: 1, isolate: false },
    },
    projects: [
      project("unit", { include: ["test/unit/**/*.test.ts"], pool: "threads" }),
      project("deploy", { include: ["test/deploy/**/*.test.ts"], pool: "threads" }),
      project("core", {
        include: ["test/core/**/*.test.ts"],
        globalSetup: [DATABASE, SHARED_STACKS],
        pool: "forks",
      }),
      project("system", {
        include: ["test/system/**/*.test.ts"],
        globalSetup: [DATABASE, SHARED_STACKS, "test/support/package-installation.ts"],
        pool: "forks",
      }),
      project("browser", {
        include: ["test/browser/**/*.test.ts"],
        globalSetup: ["test/support/chromium.ts", DATABASE, SHARED_STACKS],
        pool: "forks",
      }),
      project("cluster", { include: ["test/cluster/**/*.test.ts"], globalSetup: [DATABASE], pool: "forks" }),
    ],
  },
});
