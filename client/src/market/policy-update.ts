import { type Address, decodeFunctionData, type Hex, isAddressEqual } from "viem";
import { policyModuleAbi } from "../../../abis/index";
import { refused } from "../refusal";

/** The payment that an account's policies must allow. */
type Payment = { agent: Address; token: Address; payTo: Address };

/** What each change of policies that a payment may need is about. */
const subjects: Readonly<Record<string, (payment: Payment) => Address>> = {
  setAccountFrozen: ({ agent }) => agent,
  setTargetAllowed: ({ token }) => token,
  setFunctionAllowed: ({ token }) => token,
  setSpendLimit: ({ token }) => token,
  setPaymentPolicy: ({ payTo }) => payTo,
};

function subjectOf(data: Hex): { functionName: string; subject: unknown } | undefined {
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: policyModuleAbi, data });
    return { functionName, subject: args[0] };
  } catch {
    // The calldata does not call the policy module.
    return undefined;
  }
}

/** Throws unless a transaction changes a policy of the account about this payment: the service wrote it. */
export function requirePolicyUpdate(call: { to: Address; data: Hex }, policyModule: Address, payment: Payment): void {
  const called = subjectOf(call.data);
  const subject = called && subjects[called.functionName]?.(payment);
  if (!subject || !isAddressEqual(call.to, policyModule) || !isAddressEqual(called.subject as Address, subject))
    throw refused("The service suggests a change of policies that the payment does not need");
}
