import { type Address, encodeFunctionData, type Hex } from "viem";
import { policyModuleAbi } from "../../abis/index";
import type { policyTypes } from "../../ponder.schema";
import type { Denial, Payment, PaymentPolicies } from "./check";

const UINT256_MAX = 2n ** 256n - 1n;

type PaymentLimits = { maxPerPayment: bigint; maxPerDay: bigint };

/** A change of the account's policies that lifts a denial, with the data of the call that makes it. */
export type PolicyUpdate = { policyType: (typeof policyTypes)[number]; data: Hex } & (
  | { suggested: boolean; target?: Address; selector?: Hex }
  | { suggested: bigint; token: Address }
  | { suggested: PaymentLimits; payment: Payment }
);

/** The smallest limit under which an amount passes; where no number is large enough, 0, which is no limit. */
const limitFor = (spentToday: bigint, attempted: bigint) =>
  spentToday + attempted > UINT256_MAX ? 0n : spentToday + attempted;

/**
 * The limits of a payment policy that lets a payment pass and is no wider than it needs to be: limits that are wide enough
 * stay, and a policy there was none of gets limits (of at least 1, because 0 would be none).
 */
function paymentLimits({ policy }: PaymentPolicies, { amount }: Payment, spentToday: bigint): PaymentLimits {
  const tight = (limit: bigint) => (limit === 0n ? 1n : limit);
  if (!policy) return { maxPerPayment: tight(amount), maxPerDay: tight(limitFor(spentToday, amount)) };
  const { maxPerPayment, maxPerDay } = policy;
  const daily = limitFor(spentToday, amount);
  return {
    maxPerPayment: maxPerPayment !== 0n && amount > maxPerPayment ? amount : maxPerPayment,
    maxPerDay: maxPerDay !== 0n && spentToday + amount > maxPerDay ? daily : maxPerDay,
  };
}

const call = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: policyModuleAbi, functionName, args } as never);

/** The changes that together lift all denials of a transaction. Each policy is changed once. */
export function transactionUpdates(account: Address, denials: readonly Denial[]): PolicyUpdate[] {
  const updates: PolicyUpdate[] = [];
  const limits = new Map<Address, bigint>();
  for (const denial of denials) {
    if (denial.why === "frozen")
      updates.push({
        policyType: "ACCOUNT_FROZEN",
        suggested: false,
        data: call("setAccountFrozen", [account, false]),
      });
    if (denial.why === "target") {
      const { target } = denial;
      updates.push({
        policyType: "TARGET_ALLOWLIST",
        target,
        suggested: true,
        data: call("setTargetAllowed", [target, true]),
      });
    }
    if (denial.why === "function") {
      const { target, selector } = denial;
      updates.push({
        policyType: "FUNCTION_ALLOWLIST",
        target,
        selector,
        suggested: true,
        data: call("setFunctionAllowed", [target, selector, true]),
      });
    }
    if (denial.why === "spend") {
      // The zero address can be the target of a call that looks like a token's: then both amounts have one limit.
      const { token, spentToday, attempted } = denial.check;
      const [before, wanted] = [limits.get(token), limitFor(spentToday, attempted)];
      limits.set(token, before === 0n || wanted === 0n ? 0n : before && before > wanted ? before : wanted);
    }
  }
  for (const [token, limit] of limits)
    updates.push({ policyType: "SPEND_LIMIT", token, suggested: limit, data: call("setSpendLimit", [token, limit]) });
  return updates;
}

/** The changes that together lift all denials of a payment, but for the freeze, which a transaction's has too. */
export function paymentUpdates(
  policies: PaymentPolicies,
  payment: Payment,
  { denials, spend }: { denials: readonly Denial[]; spend: { spentToday: bigint } },
): PolicyUpdate[] {
  if (denials.every(({ why }) => why === "frozen")) return [];
  const { merchant, token, facilitator } = payment;
  const suggested = paymentLimits(policies, payment, spend.spentToday);
  const { maxPerPayment, maxPerDay } = suggested;
  const data = call("setPaymentPolicy", [merchant, token, facilitator, maxPerPayment, maxPerDay, true]);
  return [{ policyType: "PAYMENT_POLICY", payment, suggested, data }];
}
