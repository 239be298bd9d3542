import { type Account, type Address, type Hex, type LocalAccount, parseSignature, type WalletClient } from "viem";
import { intentTypes, type SignableIntent } from "../../common/intent";

/** The contract and chain for which an intent is signed. */
export type IntentBook = { chainId: number; intentBook: Address };

/** A viem account, or a wallet client with one. */
export type Signer = Pick<LocalAccount, "signTypedData"> | Pick<WalletClient<never, never, Account>, "signTypedData">;

/** The arguments of `IntentBook.submitIntent`. */
export type SubmitIntentArguments = readonly [intent: SignableIntent, v: number, r: Hex, s: Hex];

/** Signs an EIP-712 message. Accounts and wallet clients have different types for the same arguments. */
export const signTypedData = (signer: Signer, message: object): Promise<Hex> =>
  (signer as Pick<LocalAccount, "signTypedData">).signTypedData(message as never);

/** The arguments of `IntentBook.submitIntent` for a signed intent. */
export function submissionOf(intent: SignableIntent, signature: Hex): SubmitIntentArguments {
  const { v, yParity, r, s } = parseSignature(signature);
  return [intent, Number(v ?? BigInt(yParity) + 27n), r, s];
}

/**
 * Signs an intent for one IntentBook on one chain. Returns the arguments of `submitIntent`.
 *
 * @example
 * const args = await signIntent(wallet, intent, { chainId: 8453, intentBook: "0x…" });
 * await wallet.writeContract({ abi: intentBookAbi, address: "0x…", functionName: "submitIntent", args });
 */
export async function signIntent(
  signer: Signer,
  intent: SignableIntent,
  { chainId, intentBook }: IntentBook,
): Promise<SubmitIntentArguments> {
  const signature = await signTypedData(signer, {
    domain: { name: "AgentIntentBook", version: "1", chainId, verifyingContract: intentBook },
    types: intentTypes,
    primaryType: "Intent",
    message: intent,
  });
  return submissionOf(intent, signature);
}
