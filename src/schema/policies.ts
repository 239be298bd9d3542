import { onchainTable, primaryKey } from "ponder";
import { hex, ofBlock } from "./columns";

export const policyTypes = [
  "ACCOUNT_FROZEN",
  "FUNCTION_ALLOWLIST",
  "FUNCTION_ALLOWLIST_MODE",
  "GUARDIAN",
  "PAYMENT_POLICY",
  "SPEND_LIMIT",
  "TARGET_ALLOWLIST",
] as const;

/**
 * One row is the current state of one policy of an account. All types share one table, so that an account's policies
 * form one ordered list. `policyType` determines which columns are set.
 */
export const policy = onchainTable(
  "policy",
  (t) => ({
    account: hex(t).notNull(),
    policyType: t.varchar({ enum: policyTypes }).notNull(),
    /** The policy's subject, as formatted by {@link policyKey}: a token, a target, a target and a selector, … */
    key: t.varchar().notNull(),
    /** GUARDIAN. */
    guardian: hex(t),
    /** TARGET_ALLOWLIST, FUNCTION_ALLOWLIST, PAYMENT_POLICY: allowed. FUNCTION_ALLOWLIST_MODE: on. ACCOUNT_FROZEN: frozen. */
    enabled: t.boolean(),
    /** PAYMENT_POLICY. */
    maxPerPayment: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY. 0 means no limit. */
    maxPerDay: t.bigint(),
    /** SPEND_LIMIT, PAYMENT_POLICY: spent in the window that began at `lastReset`. Counts as 0 after 86400 s. */
    spentToday: t.bigint(),
    lastReset: ofBlock(t),
    /** The block in which the policy was last set. Spending does not update it. */
    blockNumber: ofBlock(t).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.account, table.policyType, table.key] }) }),
);
