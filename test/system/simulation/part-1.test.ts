import { expect, it } from "vitest";
import { makePlan, rpcFaults, serviceFaults } from "../../support/simulation/plan";
import { randomSources } from "../../support/simulation/random-sources";
import { FIXED, seedsToRun, simulateSeeds } from "../../support/simulation/seeds";

simulateSeeds(1);

it("the fixed seeds have every fault", () => {
  expect(seedsToRun({})).toEqual(FIXED);
  const rounds = FIXED.flatMap((seed) => makePlan(randomSources(seed).plan).rounds);
  expect(new Set(rounds.map(({ service }) => service))).toEqual(new Set(serviceFaults));
  expect(new Set(rounds.flatMap(({ rpc }) => rpc?.fate ?? []))).toEqual(new Set(rpcFaults));
  expect(rounds.flatMap(({ steps }) => steps).some(({ reorg }) => reorg)).toBe(true);
});
