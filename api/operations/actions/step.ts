import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { policyAccountAbi } from "../../../abis/index";
import { type ContractName, protocolAbis } from "../../../config/contracts";
import type { Called } from "../../actions/contract-errors";
import { NotFound } from "../../core/errors";
import type { Scope } from "./scope";

// Calls of an action, and the transactions that make them.

/** A call of a contract of the protocol or of a token, with its arguments by name. */
export type Step = { to: Address; called: Called; data: Hex; value: bigint };

/** Who sends the transactions: `from` itself, or its signer if it is a policy account. */
export type Sender = { account?: "policy" | undefined; signer?: Address | undefined };

/** The address of a contract of the deployment. */
export function contractAt(contract: ContractName, { context }: Pick<Scope, "context">): Address {
  const address = context.config.contracts[contract];
  if (!address) throw new NotFound(`This deployment has no ${contract}`);
  return address;
}

/** A call of a function with its arguments by name. */
export function stepOf(
  contract: Exclude<Called["contract"], "recipient">,
  to: Address,
  name: string,
  args: Readonly<Record<string, unknown>>,
  value = 0n,
): Step {
  const abi: Abi = contract === "token" ? erc20Abi : protocolAbis[contract];
  const data = encodeFunctionData({ abi, functionName: name, args: Object.values(args) });
  return { to, called: { contract, name, args }, data, value };
}

/** The functions of a policy account for its own settings, which its policies do not apply to. */
const ownSettings = new Map(
  policyAccountAbi.flatMap((item) =>
    item.type === "function" && item.name.startsWith("set") ? [[item.name as string, item.inputs.length] as const] : [],
  ),
);

/** A transaction, the call that it makes, and whether the policies of `from` apply to it. */
export type Sent = { to: Address; data: Hex; value: bigint; step: Step; hasPolicies: boolean; isExecuted?: true };

/** A transaction of `from` itself. Policies do not apply to the call that sets them. */
export const direct = (step: Step): Sent => ({
  to: step.to,
  data: step.data,
  value: step.value,
  step,
  hasPolicies: step.called.contract !== "PolicyModule",
});

/** The transaction of a policy account's signer that makes the account do a step. */
export function throughAccount(step: Step, account: Address): Sent {
  const { name, contract, args } = step.called;
  // The account's own function freezes the account itself, and no other one.
  const isOwn = contract === "PolicyModule" && (args.account === undefined || args.account === account);
  const inputs = isOwn ? ownSettings.get(name) : undefined;
  if (inputs !== undefined) {
    // The account itself is not among the arguments of its own function.
    const values = Object.values(args).slice(-inputs);
    const data = encodeFunctionData({ abi: policyAccountAbi as Abi, functionName: name, args: values });
    return { to: account, data, value: 0n, step, hasPolicies: false };
  }
  const execution = [step.to, step.value, step.data] as const;
  const data = encodeFunctionData({ abi: policyAccountAbi, functionName: "execute", args: execution });
  return { to: account, data, value: 0n, step, hasPolicies: true, isExecuted: true };
}
