import { keccak256 } from "js-sha3";
import type { Hex } from "viem";
import type { SignableIntent } from "../../common/intent";

const constraintsType = "Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)";
const executionType =
  "ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)";
const intentType =
  "Intent(address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce)";

/** js-sha3 is five times faster than viem's keccak256. Hashing is most of the cost of indexing a submission. */
const hash = (bytes: Uint8Array): Hex => `0x${keccak256(bytes)}`;

const constraintsTypeHash = hash(Buffer.from(constraintsType));
const executionTypeHash = hash(Buffer.from(executionType));
const intentTypeHash = hash(Buffer.from(intentType + constraintsType + executionType));

/** A value as the 64 hex digits of its ABI word. */
const word = (value: Hex | bigint | number) =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0");

const hashWords = (...values: (Hex | bigint | number)[]) => hash(Buffer.from(values.map(word).join(""), "hex"));

/**
 * The EIP-712 struct hash of an intent, without the domain. It identifies the intent before and after submission.
 * Specialized for speed, because every indexed submission needs it: a general EIP-712 encoder is slower.
 *
 * @example
 * intentHash(intent) // "0x3f…"
 */
export function intentHash({
  owner,
  intentType,
  constraints,
  execution,
  inputToken,
  outputToken,
  nonce,
}: SignableIntent): Hex {
  const constraintsHash = hashWords(
    constraintsTypeHash,
    constraints.amountInMax,
    constraints.amountOutMin,
    constraints.deadline,
    constraints.slippageBps,
  );
  const executionHash = hashWords(
    executionTypeHash,
    execution.target,
    execution.dataHash,
    execution.requiredAttestationSubject,
    execution.requiredAttestationSchema,
    execution.metadataURIHash,
  );
  return hashWords(intentTypeHash, owner, intentType, constraintsHash, executionHash, inputToken, outputToken, nonce);
}
