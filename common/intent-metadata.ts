import { type Address, type Hex, zeroAddress, zeroHash } from "viem";

const types = {
  IntentMetadata: [
    { name: "intentHash", type: "bytes32" },
    { name: "executionTarget", type: "address" },
    { name: "executionData", type: "bytes" },
    { name: "requiredAttestationSubject", type: "bytes32" },
    { name: "requiredAttestationSchema", type: "bytes32" },
  ],
} as const;

/** The metadata of an intent. Null and omitted fields are signed as zero. */
export type MetadataContent = {
  executionTarget?: Address | null;
  executionData?: Hex | null;
  requiredAttestationSubject?: Hex | null;
  requiredAttestationSchema?: Hex | null;
};

/** The EIP-712 message that the owner signs. Its domain contains the chain and the IntentBook, so it is valid for one intent. */
export const intentMetadataTypedData = (
  { chainId, intentHash }: { chainId: number; intentHash: Hex },
  intentBook: Address,
  content: MetadataContent,
) =>
  ({
    domain: { name: "Intentry", version: "1", chainId, verifyingContract: intentBook },
    types,
    primaryType: "IntentMetadata",
    message: {
      intentHash,
      executionTarget: content.executionTarget ?? zeroAddress,
      executionData: content.executionData ?? "0x",
      requiredAttestationSubject: content.requiredAttestationSubject ?? zeroHash,
      requiredAttestationSchema: content.requiredAttestationSchema ?? zeroHash,
    },
  }) as const;
