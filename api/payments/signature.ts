import { setImmediate } from "node:timers/promises";
import { authorizationTypes } from "@x402/evm";
import { isErc6492Signature, size, verifyTypedData } from "viem";
import type { PaymentChain } from "./chain";
import type { Payment } from "./payload";

/** A signature, and what the payer signs: a transfer of the token with an authorization (EIP-3009). */
const signedData = ({ signature, authorization, token, payload: { accepted } }: Payment) => {
  const { name, version } = accepted.extra;
  const chainId = Number(accepted.network.slice("eip155:".length));
  const domain = { name: String(name), version: String(version), chainId, verifyingContract: token };
  const typed = { domain, types: authorizationTypes, primaryType: "TransferWithAuthorization" as const };
  return { ...typed, address: authorization.from, signature, message: authorization };
};

/** Whether the payer's key signed the payment. This takes milliseconds of CPU and nothing else. */
export async function isSignedByPayer(payment: Payment): Promise<boolean> {
  // A signature by a key is r, s and v.
  if (size(payment.signature) !== 65) return false;
  // Other requests are served between two signatures.
  await setImmediate();
  // Bytes that are no signature are an error.
  return verifyTypedData(signedData(payment)).catch(() => false);
}

/**
 * Whether the payer is a contract that accepts the signature (ERC-1271), or would if it were deployed as the signature says
 * (ERC-6492). Throws if the chain is unavailable.
 */
export async function isSignedByContract(chain: PaymentChain, payment: Payment): Promise<boolean> {
  // Throws if the chain is unavailable. viem's verification would return false instead.
  const code = await chain.getCode({ address: payment.authorization.from });
  if ((code === undefined || code === "0x") && !isErc6492Signature(payment.signature)) return false;
  return chain.verifyTypedData(signedData(payment));
}
