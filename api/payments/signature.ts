import { setImmediate } from "node:timers/promises";
import type { PaymentRequirements } from "@x402/core/types";
import { authorizationTypes } from "@x402/evm";
import { type Address, isAddressEqual, isErc6492Signature, type PublicClient, recoverTypedDataAddress } from "viem";
import type { Payment } from "./payload";

/** The length of a signature by a key: r, s and v, in hex with 0x. */
const KEY_SIGNATURE_LENGTH = 132;

/** What the payer signs: a transfer of the token with an authorization (EIP-3009). */
const typedDataOf = (
  message: Payment["authorization"],
  { network, asset, extra }: Pick<PaymentRequirements, "network" | "asset" | "extra">,
) => ({
  domain: {
    name: String(extra.name),
    version: String(extra.version),
    chainId: Number(network.slice("eip155:".length)),
    verifyingContract: asset as Address,
  },
  types: authorizationTypes,
  primaryType: "TransferWithAuthorization" as const,
  message,
});

/**
 * Whether the payer's key signed the payment. This takes milliseconds of CPU and nothing else. A contract's signature
 * is false here, and needs {@link isSignedByContract}.
 */
export async function isSignedByPayer(
  { signature, authorization }: Pick<Payment, "signature" | "authorization">,
  requirements: PaymentRequirements,
): Promise<boolean> {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return false;
  // Other requests are served between two signatures.
  await setImmediate();
  try {
    const signer = await recoverTypedDataAddress({ ...typedDataOf(authorization, requirements), signature });
    return isAddressEqual(signer, authorization.from);
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
  { signature, authorization }: Pick<Payment, "signature" | "authorization">,
  requirements: PaymentRequirements,
): Promise<boolean> {
  const address = authorization.from;
  // Throws if the chain is unavailable. viem's verification would return false instead.
  const code = await chain.getCode({ address });
  if ((code === undefined || code === "0x") && !isErc6492Signature(signature)) return false;
  return chain.verifyTypedData({ ...typedDataOf(authorization, requirements), address, signature });
}
