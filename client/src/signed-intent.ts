import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  recoverTypedDataAddress,
} from "viem";
import { intentBookAbi, policyAccountAbi } from "../../abis/index";
import { intentTypes, type SignableIntent } from "../../common/intent";
import type { PreparedAction, TypedData } from "./api";
import { submissionOf } from "./intents";
import { authorizationTypes } from "./market/authorization";

// A service that lies or was changed must not obtain another signature or transaction than the ones it shows. What it answers
// is compared with what this package encodes from the signed message. The functions return what is wrong, if anything is: the
// client loads them with `lazy.ts`, where an error would have a class of its own.

/** The messages of actions. */
const signable: Readonly<Record<string, object>> = {
  Intent: intentTypes,
  TransferWithAuthorization: authorizationTypes,
};

/** The digest that is signed for typed data. */
const digestOf = (typedData: object): Hex => hashTypedData(typedData as never);

const isSame = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();

/**
 * Why a message must not be signed: it must be an intent or an authorization (EIP-3009) with exactly its fields. For an intent,
 * the account that signs must be its owner.
 */
export function problemOfMessage(typedData: TypedData, account: Address): string | undefined {
  const { domain, primaryType, message } = typedData;
  const types = Object.hasOwn(signable, primaryType) ? signable[primaryType] : undefined;
  if (!types) return `The message to sign is of type ${primaryType}, which no action has`;
  try {
    if (digestOf(typedData) !== digestOf({ domain, types, primaryType, message }))
      return `The message to sign has other fields than ${primaryType}`;
  } catch {
    // viem rejects fields that are missing or have other types.
    return `The message to sign is not a valid ${primaryType}`;
  }
  if (primaryType === "Intent" && !isSame(message.owner, account))
    return `The intent is of ${message.owner}, and the wallet's account is ${account.toLowerCase()}`;
  return undefined;
}

/** Why an answer does something else than to submit exactly the signed intent, directly or through the policy account. */
export function problemOfSubmission(
  { typed_data, next }: Pick<PreparedAction, "next" | "typed_data">,
  signature: Hex,
  { transactions }: Pick<PreparedAction, "transactions">,
): string | undefined {
  if (!typed_data) throw new Error("Nothing was signed");
  const { chainId, verifyingContract } = typed_data.domain;
  const intentBook = verifyingContract as Address;
  const [transaction, ...others] = transactions;
  if (!transaction || others.length > 0)
    return `The service answered to the signed intent with ${transactions.length} transactions instead of one`;
  const args = submissionOf(typed_data.message as SignableIntent, signature);
  const submission = encodeFunctionData({ abi: intentBookAbi, functionName: "submitIntent", args });
  const isThroughAccount = next?.input?.account === "policy";
  const execution = [intentBook, 0n, submission] as const;
  const data = isThroughAccount
    ? encodeFunctionData({ abi: policyAccountAbi, functionName: "execute", args: execution })
    : submission;
  const differences = [
    ["target", isSame(transaction.to, isThroughAccount ? next?.input?.from : intentBook)],
    ["calldata", isSame(transaction.data, data)],
    ["value", transaction.value === "0"],
    ["chain", isSame(transaction.chainId, chainId)],
  ] as const;
  const [different] = differences.find(([, isEqual]) => !isEqual) ?? [];
  return different && `The service answered to the signed intent with a transaction whose ${different} differs`;
}

/** The contract and the intent of a submission, directly or through a policy account. Undefined for other calldata. */
function submittedIn(to: Address, data: Hex): { intentBook: Address; intent: SignableIntent } | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: [...intentBookAbi, ...policyAccountAbi], data });
    if (functionName === "execute") return submittedIn(args[0], args[2]);
    return functionName === "submitIntent" ? { intentBook: to, intent: args[0] } : undefined;
  } catch {
    // It is not a call of these contracts.
    return undefined;
  }
}

/** Why an answer does something else than to submit an intent that its owner signed with this signature. */
export async function problemOfSigned(
  answer: PreparedAction,
  signature: Hex,
  input: object,
): Promise<string | undefined> {
  const [transaction] = answer.transactions;
  const submitted = transaction && submittedIn(transaction.to, transaction.data);
  if (!submitted) return "The service answered to the signed intent with something else than its submission";
  const { intentBook: verifyingContract, intent } = submitted;
  const domain = { name: "AgentIntentBook", version: "1", chainId: transaction.chainId, verifyingContract };
  const message = { domain, types: intentTypes, primaryType: "Intent", message: intent } as const;
  const signer = await recoverTypedDataAddress({ ...message, signature }).catch(() => undefined);
  if (!isSame(signer, intent.owner)) return `The signature is not one of ${intent.owner} for this intent`;
  const signed = { ...message, types: {}, message: { ...intent } };
  return problemOfSubmission(
    { typed_data: signed, next: { description: "", action: null, input: { ...input } } },
    signature,
    answer,
  );
}
