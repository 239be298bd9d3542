import { setImmediate } from "node:timers/promises";
import type { PaymentRequirements } from "@x402/core/types";
import { authorizationTypes } from "@x402/evm";
import { type Address, isErc6492Signature, type PublicClient, verifyTypedData } from "viem";
import type { Payment } from "./payload";

/** The length of a signature by a key: r, s and v, in hex with 0x. */
const KEY_SIGNATURE_LENGTH = 132;

type Signed = Pick<Payment, "signature" | "authorization">;

/** A signature, and what the payer signs: a transfer of the token with an authorization (EIP-3009). */
const signedData = ({ signature, authorization }: Signed, { network, asset, extra }: PaymentRequirements) => ({
  address: authorization.from,
  signature,
  domain: {
    name: String(extra.name),
    version: String(extra.version),
    chainId: Number(network.slice("eip155:".length)),
    verifyingContract: asset as Address,
  },
  types: authorizationTypes,
  primaryType: "TransferWithAuthorization" as const,
  message: authorization,
});

/**
 * Whether the payer's key signed the payment. This takes milliseconds of CPU and nothing else. A contract's signature
 * is false here, and needs {@link isSignedByContract}.
 */
export async function isSignedByPayer(payment: Signed, requirements: PaymentRequirements): Promise<boolean> {
  if (payment.signature.length !== KEY_SIGNATURE_LENGTH) return false;
  // Other requests are served between two signatures.
  await setImmediate();
  try {
    return await verifyTypedData(signedData(payment, requirements));
  } catch {
    // The bytes are not a valid signature.
    return false;
  }
}

/**
 * Whether the payer is a contract that accepts the signature (ERC-1271), or would if it were deployed as the signature says
 * (ERC-6492). Throws if the chain is unavailable.
 */
export async function isSignedByContract(
  chain: Pick<PublicClient, "getCode" | "verifyTypedData">,
  payment: Signed,
  requirements: PaymentRequirements,
): Promise<boolean> {
  // Throws if the chain is unavailable. viem's verification would return false instead.
  const code = await chain.getCode({ address: payment.authorization.from });
  if ((code === undefined || code === "0x") && !isErc6492Signature(payment.signature)) return false;
  return chain.verifyTypedData(signedData(payment, requirements));
}
