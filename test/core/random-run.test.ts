import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import type { World } from "../support/actions/world";
import { differences } from "../support/agreement";
import { missingKinds, runLegalActions } from "../support/legal-actions";
import { DEFAULT_SEED, seed } from "../support/seed";
import { type Stack, startStack } from "../support/stack";

const { RANDOM_ACTIONS } = process.env;
const actions = Number(RANDOM_ACTIONS ?? 300);
const timeout = 120_000 + actions * 1_000;

/** The event that OpenZeppelin's EIP712 declares, but never emits with a constant name and version. */
const neverEmitted = "IntentBook:EIP712DomainChanged";

const everyEvent = contractNames
  .flatMap((contract) =>
    protocolAbis[contract].flatMap((item) => (item.type === "event" ? [`${contract}:${item.name}`] : [])),
  )
  .filter((name) => name !== neverEmitted);

describe(`${actions} random legal actions (seed ${seed})`, () => {
  let stack: Stack;
  let world: World;

  beforeAll(async () => {
    console.log(`TEST_SEED=${seed} RANDOM_ACTIONS=${actions}`);
    stack = await startStack({ index: false });
    // One half is backfilled, the other happens while the indexer runs.
    world = await runLegalActions(stack, { seed, count: Math.ceil(actions / 2) });
    await stack.startIndexer();
    await runLegalActions(stack, { after: world, count: Math.floor(actions / 2) });
  }, timeout);
  afterAll(() => stack?.stop());

  it("are indexed in agreement with the chain", { timeout }, async () => {
    expect(await differences(stack)).toEqual([]);
  });

  it("emit every protocol event", async () => {
    const happened = new Set((await stack.rows("eventLog")).map(({ contract, name }) => `${contract}:${name}`));
    expect([...happened].sort()).toEqual([...everyEvent].sort());
  });

  // Another seed may miss one.
  it.skipIf(seed !== DEFAULT_SEED || RANDOM_ACTIONS)("are of every kind", () => {
    expect(missingKinds(world)).toEqual([]);
  });
});
