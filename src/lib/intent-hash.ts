import type { Hex } from "viem";
import type { SignableIntent } from "../../common/intent";
import { hashWords, keccak } from "./hash-words";

const constraintsType = "Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)";
const executionType =
  "ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)";
const intentType =
  "Intent(address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce)";

const constraintsTypeHash = keccak(Buffer.from(constraintsType));
const executionTypeHash = keccak(Buffer.from(executionType));
const intentTypeHash = keccak(Buffer.from(intentType + constraintsType + executionType));

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
