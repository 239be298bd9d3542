import { type Address, type Hex, zeroAddress } from "viem";
import { isOver, type SpendWindow } from "../../src/lib/spend-window";
import { selectorOf, tokenSpend } from "./token-spend";

/** A daily limit and what was spent under it; a limit of 0 is no limit. */
type Limit = SpendWindow & { maxPerDay: bigint };

/** What an account's policies say about one transaction; what was never set is false or has no limit. */
export type TransactionPolicies = {
  frozen: boolean;
  targetAllowed: boolean;
  functionAllowlistOn: boolean;
  functionAllowed: boolean;
  limitOf: (token: Address) => Limit | undefined;
};

/** What an account's policies say about one payment. */
export type PaymentPolicies = {
  frozen: boolean;
  policy: (Limit & { maxPerPayment: bigint; allowed: boolean }) | undefined;
};

export type Transaction = { target: Address; value: bigint; data: Hex };

export type Payment = { merchant: Address; token: Address; facilitator: Address; amount: bigint };

/** One amount held against one daily limit; null is no limit. */
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
 * Holds an amount against a limit. What the contract refuses by arithmetic, a sum over 2^256 or a limit lowered below
 * what is spent, is refused by the one comparison here too: a limit is below 2^256.
 */
function checkSpend(token: Address, attempted: bigint, limit: Limit = noLimit, now: bigint): SpendCheck {
  const { maxPerDay } = limit;
  const spentToday = isOver(limit, now) ? 0n : limit.spentToday;
  if (maxPerDay === 0n) return { token, attempted, maxPerDay: null, spentToday, remaining: null, allowed: true };
  const remaining = spentToday < maxPerDay ? maxPerDay - spentToday : 0n;
  return { token, attempted, maxPerDay, spentToday, remaining, allowed: spentToday + attempted <= maxPerDay };
}

/** What `PolicyModule.checkTransaction` says at a time: it reverts for the first of the denials, and passes without any. */
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

  const ofToken = tokenSpend(target, data);
  const spends: SpendCheck[] = [];
  if (value > 0n) spends.push(checkSpend(zeroAddress, value, limitOf(zeroAddress), now));
  if (ofToken) spends.push(checkSpend(ofToken.token, ofToken.amount, limitOf(ofToken.token), now));
  for (const check of spends) if (!check.allowed) denials.push({ why: "spend", check });
  return { denials, spends };
}

/** What `PolicyModule.checkSignedPayment` says at a time. */
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
