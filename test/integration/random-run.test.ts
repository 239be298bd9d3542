import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { differences } from "./agreement";
import { missingKinds, runLegalActions } from "./legal-actions";
import { type Database, type Stack, startStack } from "./stack";

/** `RANDOM_SEED=… RANDOM_ACTIONS=…` run it again as it was, or longer. */
const DEFAULT_SEED = 4;
const DEFAULT_ACTIONS = 300;
const seed = Number(process.env.RANDOM_SEED ?? DEFAULT_SEED);
const actions = Number(process.env.RANDOM_ACTIONS ?? DEFAULT_ACTIONS);
const timeout = 120_000 + actions * 1_000;

/** What OpenZeppelin's EIP712 declares and never emits while name and version are constant. */
const neverEmitted = "IntentBook:EIP712DomainChanged";

const everyEvent = contractNames
  .flatMap((contract) =>
    protocolAbis[contract].flatMap((item) => (item.type === "event" ? [`${contract}:${item.name}`] : [])),
  )
  .filter((name) => name !== neverEmitted);

describe.each(["pglite", "postgres"] satisfies Database[])(
  `${actions} random legal actions (seed ${seed}), on %s`,
  (database) => {
    let stack: Stack;

    beforeAll(async () => {
      console.log(`RANDOM_SEED=${seed} RANDOM_ACTIONS=${actions}, on ${database}`);
      stack = await startStack({ database, index: false });
      // One half is there when the indexer starts and is read back, the other happens while it runs.
      const world = await runLegalActions(stack, { seed, count: Math.ceil(actions / 2) });
      await stack.startIndexer();
      await runLegalActions(stack, { after: world, count: Math.floor(actions / 2) });
      if (seed === DEFAULT_SEED && actions >= DEFAULT_ACTIONS) expect(missingKinds(world)).toEqual([]);
    }, timeout);
    afterAll(() => stack?.stop());

    it("are indexed as the chain has them", { timeout }, async () => {
      expect(await differences(stack)).toEqual([]);
    });

    it("make every event of the protocol happen", async () => {
      const happened = new Set((await stack.rows("eventLog")).map(({ contract, name }) => `${contract}:${name}`));
      expect([...happened].sort()).toEqual([...everyEvent].sort());
    });
  },
);
