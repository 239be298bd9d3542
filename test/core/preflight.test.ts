import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import type { TransactionCase } from "../support/preflight/cases";
import {
  Comparison,
  PAYMENTS_PER_ROUND,
  rounds,
  sentences,
  TRANSACTIONS_PER_ROUND,
} from "../support/preflight/comparison";
import { transactionCall } from "../support/preflight/contract";
import { seed } from "../support/seed";

describe(`preflight against the contract (seed ${seed}, ${rounds} rounds)`, () => {
  let comparison: Comparison;

  beforeAll(
    async () => {
      comparison = await Comparison.start(seed);
      for (let round = 0; round < rounds; round++) await comparison.round();
    },
    120_000 + rounds * 20_000,
  );
  afterAll(async () => {
    if (comparison) console.log(comparison.summary(seed));
    await comparison?.stack.stop();
  });

  it(`agrees on ${rounds * TRANSACTIONS_PER_ROUND} transactions and ${rounds * PAYMENTS_PER_ROUND} payments`, () => {
    expect(comparison.disagreements).toEqual([]);
  });

  it("agrees if the contract's arithmetic reverts: a limit below the current spend, a sum beyond 2^256", async () => {
    const { stack, disagreements, outcomes } = comparison;
    const account = actor(9);
    const [lowered, full] = [stack.contracts.TestDollar, stack.contracts.Multicall];
    const policy = "PolicyModule";
    for (const token of [lowered, full]) await stack.write(account, policy, "setTargetAllowed", [token, true]);
    await stack.write(account, policy, "setSpendLimit", [lowered, 100n]);
    await stack.write(account, policy, "recordSpend", [lowered, 60n]);
    await stack.write(account, policy, "setSpendLimit", [lowered, 10n]);
    await stack.write(account, policy, "setSpendLimit", [full, maxUint256]);
    await stack.write(account, policy, "recordSpend", [full, maxUint256 - 5n]);
    await stack.indexed();
    const transfer = (target: Hex, amount: bigint): TransactionCase => ({
      account: account.address,
      target,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [account.address, amount] }),
    });
    const cases = [transfer(lowered, 1n), transfer(full, 6n), transfer(full, maxUint256), transfer(full, 5n)];
    await comparison.compare(cases, transactionCall);
    expect(disagreements).toEqual([]);
    expect(outcomes.get("Panic")).toBeGreaterThanOrEqual(3);
  });

  it("has covered every reason for denial, and approval", () => {
    for (const outcome of ["allowed", ...Object.keys(sentences)])
      expect(comparison.outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
  });
});
