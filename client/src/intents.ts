import {
  type Account,
  type Address,
  type Hex,
  hashStruct,
  type LocalAccount,
  parseSignature,
  type WalletClient,
  zeroAddress,
  zeroHash,
} from "viem";

/** An intent as its owner signs it: the first argument of `IntentBook.submitIntent`. */
export type SignableIntent = {
  owner: Address;
  intentType: number;
  constraints: { amountInMax: bigint; amountOutMin: bigint; deadline: bigint; slippageBps: number };
  execution: {
    target: Address;
    dataHash: Hex;
    requiredAttestationSubject: Hex;
    requiredAttestationSchema: Hex;
    metadataURIHash: Hex;
  };
  inputToken: Address;
  outputToken: Address;
  nonce: bigint;
};

/** Empty execution requirements: the solver decides how to fill the intent. */
export const anyExecution: SignableIntent["execution"] = {
  target: zeroAddress,
  dataHash: zeroHash,
  requiredAttestationSubject: zeroHash,
  requiredAttestationSchema: zeroHash,
  metadataURIHash: zeroHash,
};

/** The contract and chain for which an intent is signed. */
export type IntentBook = { chainId: number; intentBook: Address };

/** A viem account, or a wallet client with one. */
export type Signer = Pick<LocalAccount, "signTypedData"> | Pick<WalletClient<never, never, Account>, "signTypedData">;

/** The arguments of `IntentBook.submitIntent`. */
export type SubmitIntentArguments = readonly [intent: SignableIntent, v: number, r: Hex, s: Hex];

export const intentTypes = {
  Intent: [
    { name: "owner", type: "address" },
    { name: "intentType", type: "uint8" },
    { name: "constraints", type: "Constraints" },
    { name: "execution", type: "ExecutionRequirements" },
    { name: "inputToken", type: "address" },
    { name: "outputToken", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
  Constraints: [
    { name: "amountInMax", type: "uint256" },
    { name: "amountOutMin", type: "uint256" },
    { name: "deadline", type: "uint256" },
    { name: "slippageBps", type: "uint16" },
  ],
  ExecutionRequirements: [
    { name: "target", type: "address" },
    { name: "dataHash", type: "bytes32" },
    { name: "requiredAttestationSubject", type: "bytes32" },
    { name: "requiredAttestationSchema", type: "bytes32" },
    { name: "metadataURIHash", type: "bytes32" },
  ],
} as const;

/**
 * The hash that identifies an intent, on-chain and before: its EIP-712 struct hash, without the domain.
 *
 * @example
 * intentHash(intent) // "0x3f…"
 */
export const intentHash = (intent: SignableIntent): Hex =>
  hashStruct({ data: intent, primaryType: "Intent", types: intentTypes });

/** Signs an EIP-712 message. Accounts and wallet clients have different types for the same arguments. */
export const signTypedData = (signer: Signer, message: object): Promise<Hex> =>
  (signer as Pick<LocalAccount, "signTypedData">).signTypedData(message as never);

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
  const { v, yParity, r, s } = parseSignature(signature);
  return [intent, Number(v ?? BigInt(yParity) + 27n), r, s];
}
