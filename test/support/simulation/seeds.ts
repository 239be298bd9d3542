import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LocalChain, startChain } from "../../../stack/local/chain";
import { freePorts } from "../../../stack/roles/ports";
import { type Postgres, startPostgres } from "../postgres-server";
import { positiveInteger } from "../seed";
import { describePlan } from "./plan";
import { ChainEnded, simulate } from "./run";

/** The seeds that run by default, one in each part: together they have every fault. */
export const FIXED = [1, 2, 3, 5, 6];

/** Seeds that have failed, and why. Add a seed here when it fails, and a test of its defect to docs/reliability.md. */
const FOUND: Readonly<Record<number, string>> = {
  1: "(found: a stall after a reorg, deadlocks with a starting indexer, a transfer that was not found)",
  5: "(found: a delivered response whose settlement was not recorded)",
  6: "(found: a delivered response whose settlement was not recorded)",
  7: "(found: a supervisor that gave up after a full disk)",
  8: "(found: a supervisor that gave up after a reorg)",
  11: "(found: a gap in the index after a crash of PostgreSQL)",
  33: "(found: a good payment that was rejected as already used)",
  47: "(found: a payment that was never settled)",
  66: "(found: a good payment that was rejected while a node failed, a gap in the index)",
  176: "(found: a PostgreSQL server that did not start again)",
};

/** How many lines of the service's log a failure prints. The file may be on a machine that is gone. */
const END_LINES = 40;

/** Chain id of the chain of portfolios, Base. */
const PORTFOLIO_CHAIN_ID = 8453;

/** The seeds of SIMULATION_SEED, such as `7` or `6-20`, or as many as SIMULATION_SEEDS: the fixed ones, or from 1 on. */
export function seedsToRun({ SIMULATION_SEED, SIMULATION_SEEDS }: NodeJS.ProcessEnv): number[] {
  if (SIMULATION_SEED) {
    const [first, last = first] = SIMULATION_SEED.split("-").map((part) => positiveInteger("SIMULATION_SEED", part, 1));
    if (first === undefined || last === undefined) return FIXED;
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }
  const count = positiveInteger("SIMULATION_SEEDS", SIMULATION_SEEDS, FIXED.length);
  if (count <= FIXED.length) return FIXED.slice(0, count);
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The tests of one part of the seeds. Each part is a test file, so that two run at the same time. */
export function simulateSeeds(part: number): void {
  let postgres: Postgres;
  let portfolioChain: LocalChain;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    postgres = await startPostgres();
    portfolioChain = await startChain({ port, chainId: PORTFOLIO_CHAIN_ID });
  });
  afterAll(async () => {
    await portfolioChain?.child.stop();
    await postgres?.stop();
  });

  const cases = seedsToRun(process.env)
    .filter((_, index) => index % FIXED.length === part - 1)
    .map((seed) => ({ seed, found: FOUND[seed] ?? "" }));

  if (cases.length === 0) it.skip("no seed of this run is in this part");
  it.each(cases)(
    "a random history, random clients and random faults of seed $seed leave the service as if nothing had happened $found",
    { timeout: 900_000 },
    async ({ seed }) => {
      const startedAt = Date.now();
      const run = () => simulate(seed, { postgres, portfolioChain });
      const { plan, problems, summary, failures, log } = await run()
        .catch((error: unknown) => {
          if (!(error instanceof ChainEnded)) throw error;
          console.log(`SIMULATION_SEED=${seed} runs again, because its chain ended by itself: ${error.message}`);
          return run();
        })
        .catch((error: unknown) => {
          const message = error instanceof Error ? error.message : error;
          throw new Error(`SIMULATION_SEED=${seed}: ${message}`, { cause: error });
        });
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      console.log(`SIMULATION_SEED=${seed} ${seconds} s ${JSON.stringify(summary)} ${describePlan(plan)}`);
      for (const failure of failures) console.log(`SIMULATION_SEED=${seed} ${failure}`);
      if (problems.length > 0) {
        const file = join(tmpdir(), `intentry-simulation-${seed}.log`);
        await writeFile(file, log);
        // Vitest prints a failure at the end of the run, which may be hours later.
        const end = log.trimEnd().split("\n").slice(-END_LINES);
        console.log([`SIMULATION_SEED=${seed} failed. The service's log is ${file}`, ...problems, ...end].join("\n"));
      }
      expect(problems, `SIMULATION_SEED=${seed}`).toEqual([]);
    },
  );
}
