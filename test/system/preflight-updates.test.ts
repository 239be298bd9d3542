import { numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mined } from "../../stack/local/chain";
import { policyKinds, runLegalActions } from "../support/legal-actions";
import {
  type Case,
  Comparison,
  PAYMENTS_PER_ROUND,
  rounds,
  TRANSACTIONS_PER_ROUND,
} from "../support/preflight/comparison";
import { paymentCall, transactionCall, verdicts } from "../support/preflight/contract";
import { seed } from "../support/seed";
import { startStack } from "../support/stack";

const UPDATES_TO_TRY = 200;
/** Other policies and cases than those of random-history.test.ts. */
const otherSeed = seed + 1;

describe(`preflight and the updates it suggests (seed ${otherSeed}, ${rounds} rounds)`, () => {
  let comparison: Comparison;

  beforeAll(
    async () => {
      const stack = await startStack();
      const world = await runLegalActions(stack, { seed: otherSeed, count: 60, among: policyKinds });
      comparison = await Comparison.on(stack, world);
      for (let round = 0; round < rounds; round++) await comparison.round();
    },
    120_000 + rounds * 20_000,
  );
  afterAll(async () => {
    if (comparison) console.log(comparison.summary(otherSeed));
    await comparison?.stack.stop();
  });

  it(`agrees on ${rounds * TRANSACTIONS_PER_ROUND} transactions and ${rounds * PAYMENTS_PER_ROUND} payments`, () => {
    expect(comparison.disagreements).toEqual([]);
  });

  it("suggests calls by the account that make a denied transaction pass", { timeout: 180_000 }, async () => {
    // The chain is reverted after every case, which an index would see as a series of reorgs.
    const { stack, checked, world } = comparison;
    await stack.stopIndexer();
    const { client } = stack;
    const more = Array.from({ length: 3 * UPDATES_TO_TRY }, () => checked[world.random.below(checked.length)] as Case);
    const denied = more.filter(({ answer }) => !answer.allowed).slice(0, UPDATES_TO_TRY);
    expect(denied).toHaveLength(UPDATES_TO_TRY);
    for (const { one, answer } of denied) {
      const { account } = one;
      const snapshot = await client.snapshot();
      await client.impersonateAccount({ address: account });
      await client.setBalance({ address: account, value: 10n ** 20n });
      for (const { call } of answer.required_policy_updates) {
        const params = [{ from: account, ...call, gas: numberToHex(1_000_000) }];
        await mined(client, client.request({ method: "eth_sendTransaction", params } as never));
      }
      const [verdict] = await verdicts(stack, ["payment" in one ? paymentCall(one) : transactionCall(one)]);
      expect(verdict, JSON.stringify(answer)).toBeNull();
      await client.revert({ id: snapshot });
    }
  });
});
