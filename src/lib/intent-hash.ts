import { type Address, encodeAbiParameters, type Hex, keccak256, stringToHex } from "viem";

export type Intent = {
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

const constraintsType = "Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)";
const executionType =
  "ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)";
const intentType =
  "Intent(address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce)";

const constraintsTypeHash = keccak256(stringToHex(constraintsType));
const executionTypeHash = keccak256(stringToHex(executionType));
const intentTypeHash = keccak256(stringToHex(intentType + constraintsType + executionType));

const types = (...names: string[]) => names.map((type) => ({ type }));
const constraintsWords = types("bytes32", "uint256", "uint256", "uint256", "uint16");
const executionWords = types("bytes32", "address", "bytes32", "bytes32", "bytes32", "bytes32");
const intentWords = types("bytes32", "address", "uint8", "bytes32", "bytes32", "address", "address", "uint256");

/**
 * The EIP-712 struct hash of an intent, without the domain: the intent's name before and after it is on chain.
 * It is written out, not left to a general EIP-712 encoder, because it is computed for every submission indexed.
 *
 * @example
 * intentHash(intent) // "0x3f…"
 */
export function intentHash({ owner, intentType, constraints, execution, inputToken, outputToken, nonce }: Intent): Hex {
  const constraintsHash = keccak256(
    encodeAbiParameters(constraintsWords, [
      constraintsTypeHash,
      constraints.amountInMax,
      constraints.amountOutMin,
      constraints.deadline,
      constraints.slippageBps,
    ]),
  );
  const executionHash = keccak256(
    encodeAbiParameters(executionWords, [
      executionTypeHash,
      execution.target,
      execution.dataHash,
      execution.requiredAttestationSubject,
      execution.requiredAttestationSchema,
      execution.metadataURIHash,
    ]),
  );
  return keccak256(
    encodeAbiParameters(intentWords, [
      intentTypeHash,
      owner,
      intentType,
      constraintsHash,
      executionHash,
      inputToken,
      outputToken,
      nonce,
    ]),
  );
}
