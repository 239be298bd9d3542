import { type Address, type Hex, maxUint256, zeroAddress } from "viem";

const DAY = 86_400n;

/** The spend in the window that started at `since`. */
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

/** The state of one account in the policy module. */
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

/** The maximum amount of `recordSpend`: it ignores the limit and only reverts on overflow. Without a limit it adds nothing. */
export const mostToRecord = (limit: SpendLimit | undefined, now: bigint) =>
  limit?.maxPerDay ? maxUint256 - spentBy(limit, now) : maxUint256;

/** Whether an execution with this spend is allowed. */
export function isWithinLimit(policies: AccountPolicies, token: Address, amount: bigint, now: bigint): boolean {
  const limit = policies.spendLimits.get(token);
  return !limit?.maxPerDay || spentBy(limit, now) + amount <= limit.maxPerDay;
}

/** Adds a spend like `recordSpend`, which ignores tokens without a limit. */
export function recordSpend(policies: AccountPolicies, token: Address, amount: bigint, now: bigint): void {
  const limit = policies.spendLimits.get(token);
  if (limit?.maxPerDay) book(limit, amount, now);
}

/** The largest allowed signed payment. Null if none is allowed. */
export function mostToPay(policy: PaymentPolicy, now: bigint): bigint | null {
  if (!policy.allowed) return null;
  const spent = spentBy(policy, now);
  const perDay = (policy.maxPerDay || maxUint256) - spent;
  if (perDay < 0n) return null;
  return policy.maxPerPayment && policy.maxPerPayment < perDay ? policy.maxPerPayment : perDay;
}
