import { type Address, type Hex, hashStruct, zeroAddress, zeroHash } from "viem";

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

/** The EIP-712 types of an intent. */
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
