import { setImmediate } from "node:timers/promises";
import { authorizationTypes } from "@x402/evm";
import { type Hex, isErc6492Signature, parseErc6492Signature, size, verifyTypedData } from "viem";
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
 * The signature by which the payer's contract accepts the payment (ERC-1271), or would if it were deployed as the signature
 * says (ERC-6492). The wrapper is removed once the contract is deployed: facilitators simulate a deployment for it, which needs
 * Multicall3. Undefined if the contract rejects it. Throws if the chain is unavailable.
 */
export async function contractSignature(chain: PaymentChain, payment: Payment): Promise<Hex | undefined> {
  const { signature, authorization } = payment;
  // Throws if the chain is unavailable. viem's verification would return false instead.
  const code = await chain.getCode({ address: authorization.from });
  const isDeployed = code !== undefined && code !== "0x";
  if (!isDeployed && !isErc6492Signature(signature)) return undefined;
  if (!(await chain.verifyTypedData(signedData(payment)))) return undefined;
  return isDeployed ? parseErc6492Signature(signature).signature : signature;
}
