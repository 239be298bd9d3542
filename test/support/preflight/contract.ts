import { type Address, BaseError, decodeErrorResult, encodeFunctionData, type Hex } from "viem";
import { policyModuleAbi } from "../../../abis/index";
import type { Protocol } from "../../../stack/local/protocol";
import type { PaymentCase, TransactionCase } from "./cases";

/** The name of the panic on overflow and underflow. */
const PANIC = "Panic";

type RpcAnswer = { id: number; result?: Hex; error?: { code: number; message: string; data?: Hex } };

/** The name of the contract's revert error. Null if it passes. */
function revertOf({ error }: RpcAnswer): string | null {
  if (!error) return null;
  if (error.code !== 3 || !error.data) throw new Error(`eth_call failed: ${error.message}`);
  try {
    return decodeErrorResult({ abi: policyModuleAbi, data: error.data }).errorName;
  } catch (cause) {
    if (cause instanceof BaseError && error.data.startsWith("0x4e487b71")) return PANIC;
    throw cause;
  }
}

/** Checks calls with the policy module at the newest block's time. Returns the error's name or null for each. */
export async function verdicts(
  { client, contracts }: Protocol,
  calls: readonly { from: Address; data: Hex }[],
): Promise<(string | null)[]> {
  const response = await fetch(client.transport.url ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(
      calls.map(({ from, data }, id) => ({
        jsonrpc: "2.0",
        id,
        method: "eth_call",
        params: [{ from, to: contracts.PolicyModule, data }, "latest"],
      })),
    ),
  });
  const answers = (await response.json()) as RpcAnswer[];
  return [...answers].sort((a, b) => a.id - b.id).map(revertOf);
}

export const transactionCall = ({ account, target, value, data }: TransactionCase) => ({
  from: account,
  data: encodeFunctionData({ abi: policyModuleAbi, functionName: "checkTransaction", args: [target, value, data] }),
});

export const paymentCall = ({ account, payment: { merchant, token, facilitator, amount } }: PaymentCase) => ({
  from: account,
  data: encodeFunctionData({
    abi: policyModuleAbi,
    functionName: "checkSignedPayment",
    args: [merchant, token, facilitator, amount],
  }),
});
