import { type Abi, type Address, encodeFunctionData, type Hex, prepareEncodeFunctionData } from "viem";
import { policyModuleAbi } from "../../abis/index";
import type { policyTypes } from "../../ponder.schema";
import type { Denial, Payment, PaymentPolicies } from "./check";

const UINT256_MAX = 2n ** 256n - 1n;

type PaymentLimits = { maxPerPayment: bigint; maxPerDay: bigint };

/** A policy change that removes a denial, with the call data to apply it. */
export type PolicyUpdate = { policyType: (typeof policyTypes)[number]; data: Hex } & (
  | { suggested: boolean; target?: Address; selector?: Hex }
  | { suggested: bigint; token: Address }
  | { suggested: PaymentLimits; payment: Payment }
);

/** The smallest limit that allows the amount, or 0 (no limit) if it would exceed uint256. */
const limitFor = (spentToday: bigint, attempted: bigint) =>
  spentToday + attempted > UINT256_MAX ? 0n : spentToday + attempted;

/**
 * The tightest limits that allow a payment. Sufficient limits stay unchanged. A new policy gets limits of at least 1,
 * because 0 means no limit.
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

type PolicyFunction = Extract<(typeof policyModuleAbi)[number], { type: "function" }>["name"];

const prepare = (functionName: PolicyFunction) =>
  prepareEncodeFunctionData({ abi: policyModuleAbi as Abi, functionName });

/** The functions that were called before, with their selectors. To hash a signature takes longer than to encode a call. */
const prepared = new Map<PolicyFunction, ReturnType<typeof prepare>>();

/** The data of a call of the policy module. */
function call(name: PolicyFunction, args: readonly unknown[]): Hex {
  const known = prepared.get(name) ?? prepare(name);
  prepared.set(name, known);
  const { abi, functionName }: { abi: Abi; functionName: string } = known;
  return encodeFunctionData({ abi, functionName, args });
}

/** The changes that together remove all denials of a transaction. Each policy changes once. */
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
      // If the target is the zero address, the token spend and the native value share one limit.
      const { token, spentToday, attempted } = denial.check;
      const [before, wanted] = [limits.get(token), limitFor(spentToday, attempted)];
      limits.set(token, before === 0n || wanted === 0n ? 0n : before && before > wanted ? before : wanted);
    }
  }
  for (const [token, limit] of limits)
    updates.push({ policyType: "SPEND_LIMIT", token, suggested: limit, data: call("setSpendLimit", [token, limit]) });
  return updates;
}

/** The changes that together remove all denials of a payment, except a freeze. */
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
