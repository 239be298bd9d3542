import { type Address, zeroAddress } from "viem";
import type { policyTypes } from "../../ponder.schema";
import type { Denial, Payment, SpendCheck } from "./check";
import type { PolicyUpdate } from "./updates";

const tokenName = (token: Address) => (token === zeroAddress ? "the native coin" : `token ${token}`);

const overLimit = ({ token, attempted, maxPerDay, spentToday, remaining }: SpendCheck) =>
  `${attempted} of ${tokenName(token)} is more than the ${remaining} that remain today: ${spentToday} of the daily limit of ${maxPerDay} are spent`;

const route = ({ merchant, token, facilitator }: Payment) =>
  `to ${merchant} in ${tokenName(token)}${facilitator === zeroAddress ? "" : ` through ${facilitator}`}`;

/** The type of the policy that denies. */
const denyingPolicies = {
  frozen: "ACCOUNT_FROZEN",
  target: "TARGET_ALLOWLIST",
  function: "FUNCTION_ALLOWLIST",
  spend: "SPEND_LIMIT",
  payment: "PAYMENT_POLICY",
  "payment size": "PAYMENT_POLICY",
  "payment spend": "PAYMENT_POLICY",
} as const satisfies Record<Denial["why"], (typeof policyTypes)[number]>;

const tokenOf = (denial: Denial): Address | null =>
  "check" in denial ? denial.check.token : "payment" in denial ? denial.payment.token : null;

/** The policy that denies, the token of its amounts, and the index of the update that removes the denial. */
export function policyOf(denial: Denial, updates: readonly PolicyUpdate[]) {
  const [policyType, token] = [denyingPolicies[denial.why], tokenOf(denial)];
  // Each token has a spend limit of its own. Other updates have no token.
  const update = updates.findIndex(
    (one) => one.policyType === policyType && (!("token" in one) || one.token === token),
  );
  return { policyType, token, update: update === -1 ? null : update };
}

/** The client message of a denial. */
export function reasonOf(account: Address, denial: Denial): string {
  switch (denial.why) {
    case "frozen":
      return `Account ${account} is frozen`;
    case "target":
      return `Target ${denial.target} is not on the account's allowlist`;
    case "function":
      return `Function ${denial.selector} of ${denial.target} is not on the account's function allowlist, which is on`;
    case "spend":
      return overLimit(denial.check);
    case "payment":
      return `No payment ${route(denial.payment)} is allowed`;
    case "payment size":
      return `${denial.payment.amount} is more than the ${denial.maxPerPayment} that one payment ${route(denial.payment)} may be`;
    case "payment spend":
      return `Payment ${route(denial.payment)}: ${overLimit(denial.check)}`;
  }
}
