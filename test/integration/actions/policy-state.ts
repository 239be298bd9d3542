import { type Address, type Hex, maxUint256, zeroAddress } from "viem";

const DAY = 86_400n;

/** What was spent in the window that began at `since`. */
export type SpendWindow = { spent: bigint; since: bigint };

type SpendLimit = SpendWindow & { token: Address; maxPerDay: bigint };

type PaymentPolicy = SpendWindow & {
  merchant: Address;
  token: Address;
  facilitator: Address;
  maxPerPayment: bigint;
  maxPerDay: bigint;
  allowed: boolean;
};

/** What the policy module knows of one account. */
export type AccountPolicies = {
  frozen: boolean;
  guardian: Address;
  useFunctionAllowlist: boolean;
  targets: Map<Address, boolean>;
  functions: Map<`${Address}-${Hex}`, boolean>;
  spendLimits: Map<Address, SpendLimit>;
  paymentPolicies: Map<string, PaymentPolicy>;
};

export const newPolicies = (): AccountPolicies => ({
  frozen: false,
  guardian: zeroAddress,
  useFunctionAllowlist: false,
  targets: new Map(),
  functions: new Map(),
  spendLimits: new Map(),
  paymentPolicies: new Map(),
});

export const windowEnd = ({ since }: SpendWindow) => since + DAY;

const spentBy = (window: SpendWindow, now: bigint) => (now >= windowEnd(window) ? 0n : window.spent);

export function book(window: SpendWindow, amount: bigint, now: bigint): void {
  if (now >= windowEnd(window)) Object.assign(window, { spent: 0n, since: now });
  window.spent += amount;
}

/** The most that `recordSpend` can add: it heeds no limit, only the width of the number. Without a limit it adds nothing. */
export const mostToRecord = (limit: SpendLimit | undefined, now: bigint) =>
  limit?.maxPerDay ? maxUint256 - spentBy(limit, now) : maxUint256;

/** Whether an execution that spends this is allowed. */
export function isWithinLimit(policies: AccountPolicies, token: Address, amount: bigint, now: bigint): boolean {
  const limit = policies.spendLimits.get(token);
  return !limit?.maxPerDay || spentBy(limit, now) + amount <= limit.maxPerDay;
}

/** Books a spend as `recordSpend` does: without a limit it is not booked at all. */
export function recordSpend(policies: AccountPolicies, token: Address, amount: bigint, now: bigint): void {
  const limit = policies.spendLimits.get(token);
  if (limit?.maxPerDay) book(limit, amount, now);
}

/** The largest signed payment that is allowed, or null when none is. */
export function mostToPay(policy: PaymentPolicy, now: bigint): bigint | null {
  if (!policy.allowed) return null;
  const spent = spentBy(policy, now);
  const perDay = (policy.maxPerDay || maxUint256) - spent;
  if (perDay < 0n) return null;
  return policy.maxPerPayment && policy.maxPerPayment < perDay ? policy.maxPerPayment : perDay;
}
