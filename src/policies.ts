import type { Context } from "ponder:registry";
import { policy } from "ponder:schema";
import { policyKey } from "../common/rows/policy-key";
import { afterSpend } from "../common/rows/spend-window";
import type { Handlers } from "./lib/handle";

type Policy = typeof policy.$inferInsert;

/** Upserts a policy. Columns that `row` omits keep their values. */
async function setPolicy(db: Context["db"], row: Policy): Promise<void> {
  await db.insert(policy).values(row).onConflictDoUpdate(row);
}

const newWindow = { spentToday: 0n, lastReset: 0n };

export const policies: Handlers<"PolicyModule"> = {
  async SpendLimitSet({ event, context }) {
    const { account, token, maxPerDay } = event.args;
    await context.db
      .insert(policy)
      .values({
        account,
        policyType: "SPEND_LIMIT",
        key: policyKey(token),
        maxPerDay,
        ...newWindow,
        blockNumber: event.block.number,
      })
      .onConflictDoUpdate({ maxPerDay, blockNumber: event.block.number });
  },

  async SpendRecorded({ event, context }) {
    const { account, token, dailyTotal } = event.args;
    const now = event.block.timestamp;
    await context.db
      .insert(policy)
      .values({
        account,
        policyType: "SPEND_LIMIT",
        key: policyKey(token),
        maxPerDay: 0n,
        ...afterSpend(newWindow, now, dailyTotal),
        blockNumber: event.block.number,
      })
      .onConflictDoUpdate(({ spentToday, lastReset }) =>
        afterSpend({ spentToday: spentToday ?? 0n, lastReset: lastReset ?? 0n }, now, dailyTotal),
      );
  },

  async PaymentPolicySet({ event, context }) {
    const { account, merchant, token, facilitator, maxPerPayment, maxPerDay, allowed } = event.args;
    const set = { maxPerPayment, maxPerDay, enabled: allowed, blockNumber: event.block.number };
    await context.db
      .insert(policy)
      .values({
        account,
        policyType: "PAYMENT_POLICY",
        key: policyKey(merchant, token, facilitator),
        ...newWindow,
        ...set,
      })
      .onConflictDoUpdate(set);
  },

  async SignedPaymentRecorded({ event, context }) {
    const { account, merchant, token, facilitator, dailyTotal } = event.args;
    const now = event.block.timestamp;
    await context.db
      .insert(policy)
      .values({
        account,
        policyType: "PAYMENT_POLICY",
        key: policyKey(merchant, token, facilitator),
        maxPerPayment: 0n,
        maxPerDay: 0n,
        enabled: true,
        ...afterSpend(newWindow, now, dailyTotal),
        blockNumber: event.block.number,
      })
      .onConflictDoUpdate(({ spentToday, lastReset }) =>
        afterSpend({ spentToday: spentToday ?? 0n, lastReset: lastReset ?? 0n }, now, dailyTotal),
      );
  },

  async TargetAllowlistUpdated({ event, context }) {
    const { account, target, allowed } = event.args;
    await setPolicy(context.db, {
      account,
      policyType: "TARGET_ALLOWLIST",
      key: policyKey(target),
      enabled: allowed,
      blockNumber: event.block.number,
    });
  },

  async FunctionAllowlistUpdated({ event, context }) {
    const { account, target, selector, allowed } = event.args;
    await setPolicy(context.db, {
      account,
      policyType: "FUNCTION_ALLOWLIST",
      key: policyKey(target, selector),
      enabled: allowed,
      blockNumber: event.block.number,
    });
  },

  async FunctionAllowlistModeUpdated({ event, context }) {
    const { account, enabled } = event.args;
    await setPolicy(context.db, {
      account,
      policyType: "FUNCTION_ALLOWLIST_MODE",
      key: policyKey(),
      enabled,
      blockNumber: event.block.number,
    });
  },

  async GuardianSet({ event, context }) {
    const { account, guardian } = event.args;
    await setPolicy(context.db, {
      account,
      policyType: "GUARDIAN",
      key: policyKey(),
      guardian,
      blockNumber: event.block.number,
    });
  },

  async AccountFrozen({ event, context }) {
    const { account, frozen } = event.args;
    await setPolicy(context.db, {
      account,
      policyType: "ACCOUNT_FROZEN",
      key: policyKey(),
      enabled: frozen,
      blockNumber: event.block.number,
    });
  },
};
