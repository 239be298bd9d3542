import { type Address, type Hex, zeroAddress } from "viem";
import { isOver, type SpendWindow } from "../../common/rows/spend-window";
import { selectorOf, tokenSpend } from "./token-spend";

/** A daily limit and the amount already spent. `maxPerDay` 0 means no limit. */
type Limit = SpendWindow & { maxPerDay: bigint };

/** An account's policies that apply to one transaction. Unset policies are false or without limit. */
export type TransactionPolicies = {
  frozen: boolean;
  targetAllowed: boolean;
  functionAllowlistOn: boolean;
  functionAllowed: boolean;
  limitOf: (token: Address) => Limit | undefined;
};

/** An account's policies that apply to one payment. */
export type PaymentPolicies = {
  frozen: boolean;
  policy: (Limit & { maxPerPayment: bigint; allowed: boolean }) | undefined;
};

export type Transaction = { target: Address; value: bigint; data: Hex };

export type Payment = { merchant: Address; token: Address; facilitator: Address; amount: bigint };

/** The check of one amount against one daily limit. Null means no limit. */
export type SpendCheck = {
  token: Address;
  attempted: bigint;
  maxPerDay: bigint | null;
  spentToday: bigint;
  remaining: bigint | null;
  allowed: boolean;
};

/** Why the contract would revert. */
export type Denial =
  | { why: "frozen" }
  | { why: "target"; target: Address }
  | { why: "function"; target: Address; selector: Hex }
  | { why: "spend"; check: SpendCheck }
  | { why: "payment"; payment: Payment }
  | { why: "payment size"; payment: Payment; maxPerPayment: bigint }
  | { why: "payment spend"; payment: Payment; check: SpendCheck };

const noLimit: Limit = { maxPerDay: 0n, spentToday: 0n, lastReset: 0n };

/**
 * Checks an amount against a limit. The contract also reverts by arithmetic (a sum over 2^256, a limit lowered below the
 * spent amount). The comparison here covers both cases, because a limit is below 2^256.
 */
function checkSpend(token: Address, attempted: bigint, limit: Limit = noLimit, now: bigint): SpendCheck {
  const { maxPerDay } = limit;
  const spentToday = isOver(limit, now) ? 0n : limit.spentToday;
  if (maxPerDay === 0n) return { token, attempted, maxPerDay: null, spentToday, remaining: null, allowed: true };
  const remaining = spentToday < maxPerDay ? maxPerDay - spentToday : 0n;
  return { token, attempted, maxPerDay, spentToday, remaining, allowed: spentToday + attempted <= maxPerDay };
}

/** Mirrors `PolicyModule.checkTransaction` at a time. The contract reverts with the first denial; no denial means it passes. */
export function checkTransaction(
  { frozen, targetAllowed, functionAllowlistOn, functionAllowed, limitOf }: TransactionPolicies,
  { target, value, data }: Transaction,
  now: bigint,
): { denials: Denial[]; spends: SpendCheck[] } {
  const denials: Denial[] = [];
  if (frozen) denials.push({ why: "frozen" });
  if (!targetAllowed) denials.push({ why: "target", target });
  const selector = selectorOf(data);
  if (functionAllowlistOn && selector !== null && !functionAllowed) denials.push({ why: "function", target, selector });

  const spend = tokenSpend(target, data);
  const spends: SpendCheck[] = [];
  if (value > 0n) spends.push(checkSpend(zeroAddress, value, limitOf(zeroAddress), now));
  if (spend) spends.push(checkSpend(spend.token, spend.amount, limitOf(spend.token), now));
  for (const check of spends) if (!check.allowed) denials.push({ why: "spend", check });
  return { denials, spends };
}

/** Mirrors `PolicyModule.checkSignedPayment` at a time. */
export function checkPayment(
  { frozen, policy }: PaymentPolicies,
  payment: Payment,
  now: bigint,
): { denials: Denial[]; spend: SpendCheck } {
  const { token, amount } = payment;
  const { allowed = false, maxPerPayment = 0n } = policy ?? {};
  const spend = checkSpend(token, amount, policy, now);
  const denials: Denial[] = [];
  if (frozen) denials.push({ why: "frozen" });
  if (!allowed) denials.push({ why: "payment", payment });
  if (maxPerPayment !== 0n && amount > maxPerPayment) denials.push({ why: "payment size", payment, maxPerPayment });
  if (!spend.allowed) denials.push({ why: "payment spend", payment, check: spend });
  return { denials, spend };
}
