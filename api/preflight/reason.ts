import { type Address, zeroAddress } from "viem";
import type { Denial, Payment, SpendCheck } from "./check";

const tokenName = (token: Address) => (token === zeroAddress ? "the native coin" : `token ${token}`);

const overLimit = ({ token, attempted, maxPerDay, spentToday, remaining }: SpendCheck) =>
  `${attempted} of ${tokenName(token)} is more than the ${remaining} that remain today: ${spentToday} of the daily limit of ${maxPerDay} are spent`;

const route = ({ merchant, token, facilitator }: Payment) =>
  `to ${merchant} in ${tokenName(token)}${facilitator === zeroAddress ? "" : ` through ${facilitator}`}`;

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
