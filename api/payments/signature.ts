import { setImmediate } from "node:timers/promises";
import type { PaymentRequirements } from "@x402/core/types";
import { authorizationTypes } from "@x402/evm";
import { type Address, isAddressEqual, isErc6492Signature, type PublicClient, recoverTypedDataAddress } from "viem";
import type { Payment } from "./payload";

/** The length of a signature by a key: r, s and v, in hex with 0x. */
const KEY_SIGNATURE_LENGTH = 132;

/**
 * Whether the payer's key signed the payment. This takes milliseconds of CPU and nothing else. A contract's signature
 * (ERC-1271) is false here, and needs {@link isContract} and the facilitator.
 */
export async function isSignedByPayer(
  { signature, authorization }: Pick<Payment, "signature" | "authorization">,
  { network, asset, extra }: PaymentRequirements,
): Promise<boolean> {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return false;
  // Other requests are served between two signatures.
  await setImmediate();
  try {
    const signer = await recoverTypedDataAddress({
      domain: {
        name: String(extra.name),
        version: String(extra.version),
        chainId: Number(network.slice("eip155:".length)),
        verifyingContract: asset as Address,
      },
      types: authorizationTypes,
      primaryType: "TransferWithAuthorization",
      message: authorization,
      signature,
    });
    return isAddressEqual(signer, authorization.from);
  } catch {
    // The bytes are not a valid signature.
    return false;
  }
}

/** Whether the payer is a contract, or one that the signature says how to deploy (ERC-6492), so that it may have signed. */
export async function isContract(
  chain: Pick<PublicClient, "getCode">,
  { signature, authorization: { from } }: Pick<Payment, "signature" | "authorization">,
): Promise<boolean> {
  if (isErc6492Signature(signature)) return true;
  const code = await chain.getCode({ address: from });
  return code !== undefined && code !== "0x";
}
