import { eip3009ABI } from "@x402/evm";
import {
  type Address,
  BaseError,
  ExecutionRevertedError,
  encodeFunctionData,
  type PublicClient,
  parseSignature,
} from "viem";
import type { Payment } from "./payload";

/** Whether the token rejects the transfer of a payment that the payer's key signed. Throws if the chain does not answer. */
export async function transferReverts(
  chain: Pick<PublicClient, "call">,
  { authorization, signature }: Pick<Payment, "authorization" | "signature">,
  asset: string,
): Promise<boolean> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { r, s, yParity } = parseSignature(signature);
  const data = encodeFunctionData({
    abi: eip3009ABI,
    functionName: "transferWithAuthorization",
    args: [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
  });
  try {
    await chain.call({ to: asset as Address, data });
    return false;
  } catch (error) {
    if (error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError)) return true;
    throw error;
  }
}
