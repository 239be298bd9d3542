import { beforeAll, describe, expect, it } from "vitest";
import { readChain } from "../support/agreement/chain";
import { ask, type Item } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { type ContractRows, contractRows, distinct } from "./documented/rows";
import { deviations, policyShapes } from "./documented/shapes";

describe("the documented policies, on the sample chain", () => {
  let stack: SampleStack;
  let rows: ContractRows;

  beforeAll(async () => {
    stack = await sampleStack();
    rows = await contractRows(await readChain(stack));
  });

  const accounts = () => distinct(rows.policy.map(({ account }) => account));
  const policiesOf = (account: string) => ask<Item>(stack.apiUrl, `/accounts/${account}/policies?limit=100`);

  it("has the documented fields of its type and no others", async () => {
    const seen = new Set<string>();
    for (const account of accounts()) {
      const { policies, ...rest } = await policiesOf(account);
      expect(rest).toMatchObject({ account });
      for (const policy of policies as Item[]) {
        seen.add(String(policy.policy_type));
        expect(deviations(policy, policyShapes[String(policy.policy_type)] ?? {})).toEqual([]);
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(policyShapes).sort());
  });

  it("agrees with the policy module", async () => {
    const { timestamp } = await stack.client.getBlock();
    // The time of the service: the later of the clock and the newest block.
    const now = [timestamp, BigInt(Math.floor(Date.now() / 1000))].reduce((one, other) => (one > other ? one : other));
    const expected = (row: ContractRows["policy"][number]): Item => {
      const [first, second, third] = row.key.split("-");
      const common = { policy_type: row.policyType, block_number: row.blockNumber };
      const resetsAt = BigInt(row.lastReset ?? 0) + 86_400n;
      const isOpen = now < resetsAt;
      switch (row.policyType) {
        case "SPEND_LIMIT":
          return {
            ...common,
            token: first,
            max_per_day: row.maxPerDay,
            spent_today: isOpen ? row.spentToday : "0",
            window_resets_at: isOpen ? String(resetsAt) : null,
          };
        case "PAYMENT_POLICY":
          return {
            ...common,
            merchant: first,
            token: second,
            facilitator: third,
            max_per_payment: row.maxPerPayment,
            max_per_day: row.maxPerDay,
            allowed: row.enabled,
          };
        case "TARGET_ALLOWLIST":
          return { ...common, target: first, allowed: row.enabled };
        case "FUNCTION_ALLOWLIST":
          return { ...common, target: first, selector: second, allowed: row.enabled };
        case "FUNCTION_ALLOWLIST_MODE":
          return { ...common, enabled: row.enabled };
        case "GUARDIAN":
          return { ...common, guardian: row.guardian };
        case "ACCOUNT_FROZEN":
          return { ...common, frozen: row.enabled };
      }
    };
    for (const account of accounts()) {
      const own = rows.policy.filter((row) => row.account === account);
      const { policies } = await policiesOf(account);
      expect(policies).toHaveLength(own.length);
      expect(policies).toEqual(expect.arrayContaining(own.map(expected)));
    }
  });
});
