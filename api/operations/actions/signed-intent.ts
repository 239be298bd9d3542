import { desc, eq } from "drizzle-orm";
import {
  type Address,
  type Hex,
  maxUint256,
  parseSignature,
  recoverTypedDataAddress,
  serializeSignature,
  zeroAddress,
  zeroHash,
} from "viem";
import { intentTypes, type SignableIntent } from "../../../common/intent";
import { intent } from "../../../ponder.schema";
import { amountTerm, basisPoints, timeTerm, tokenTerm } from "../../actions/terms";
import { BadInput } from "../../core/errors";
import { address, bytes, hash, id } from "../../core/inputs";
import type { z } from "../../core/operation";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import type { Scope } from "./scope";
import { contractAt } from "./step";

// An intent in a person's terms, and what its owner signs.

const DEFAULT_DEADLINE = { after: 3_600n };

/** The only type: SWAP_EXACT_IN_MAX_SLIPPAGE. */
const INTENT_TYPE = 0;

/** How many of an owner's newest intents are read for the next nonce. */
const NEWEST = 100;

const SIGNATURE_LENGTH = 2 + 65 * 2;

const selectNonces = preparedQuery((db, { owner }: Placeholders<{ owner: Address }>) =>
  db
    .select({ nonce: intent.nonce })
    .from(intent)
    .where(eq(intent.owner, owner))
    .orderBy(desc(intent.intentId))
    .limit(NEWEST),
);

/** The nonce after the highest one of the owner's newest intents. */
async function nextNonce({ context }: Scope, owner: Address): Promise<bigint> {
  const rows = await selectNonces(context.db, { owner });
  const highest = rows.reduce((nonce, row) => (row.nonce > nonce ? row.nonce : nonce), 0n);
  if (highest === maxUint256) throw new BadInput("nonce: is required, because the owner has used the highest one");
  return highest + 1n;
}

export const optionalHash = (description: string) =>
  hash.optional().openapi({ description: `${description} Default: none.` });

export const intentFields = {
  owner: address.optional().openapi({ description: "Who signs the intent. Default: from, who sends it." }),
  input_token: tokenTerm.optional().openapi({ description: "What is given. Default: the token of amount_in_max." }),
  output_token: tokenTerm.optional().openapi({ description: "What is wanted. Default: the token of amount_out_min." }),
  amount_in_max: amountTerm.openapi({ example: "1,000 tUSD" }),
  amount_out_min: amountTerm.openapi({ example: "0.3 tWETH" }),
  deadline: timeTerm.optional().openapi({ description: "Unix seconds or a duration. Default: 1h." }),
  slippage_bps: basisPoints.optional().openapi({ description: "Default: 0." }),
  nonce: id.optional().openapi({ description: "Default: the next one of the owner." }),
  execution_target: address.optional().openapi({ description: "The contract to execute. Default: any." }),
  data_hash: optionalHash("The keccak256 of the execution's data."),
  required_attestation_subject: optionalHash("The subject of an attestation that a fill needs."),
  required_attestation_schema: optionalHash("The schema of an attestation that a fill needs."),
  metadata_uri_hash: optionalHash("The keccak256 of the metadata's URI."),
  signature: bytes.optional().openapi({ description: "The owner's signature of typed_data.", example: "0x" }),
};

/** The intent that an input describes. */
export async function intentOf(
  input: z.output<z.ZodObject<typeof intentFields>>,
  scope: Scope,
): Promise<SignableIntent> {
  if (input.owner === undefined && scope.isPolicyAccount)
    throw new BadInput("owner: is required, because a policy account can't sign an intent");
  const owner = input.owner ?? scope.from;
  const tokenOf = (side: "input" | "output", term: typeof input.amount_in_max) => {
    const named = input[`${side}_token`];
    return named ? scope.token(`${side}_token`, named) : scope.tokenOf(`${side}_token`, term);
  };
  const inputToken = tokenOf("input", input.amount_in_max);
  const outputToken = tokenOf("output", input.amount_out_min);
  return {
    owner,
    intentType: INTENT_TYPE,
    constraints: {
      amountInMax: await scope.amount("amount_in_max", input.amount_in_max, inputToken),
      amountOutMin: await scope.amount("amount_out_min", input.amount_out_min, outputToken),
      deadline: scope.time("deadline", input.deadline ?? DEFAULT_DEADLINE),
      slippageBps: input.slippage_bps ?? 0,
    },
    execution: {
      target: input.execution_target ?? zeroAddress,
      dataHash: input.data_hash ?? zeroHash,
      requiredAttestationSubject: input.required_attestation_subject ?? zeroHash,
      requiredAttestationSchema: input.required_attestation_schema ?? zeroHash,
      metadataURIHash: input.metadata_uri_hash ?? zeroHash,
    },
    inputToken,
    outputToken,
    nonce: input.nonce ?? (await nextNonce(scope, owner)),
  };
}

/** The input that describes exactly an intent. */
export const inputOf = ({ owner, constraints, execution, inputToken, outputToken, nonce }: SignableIntent) => ({
  owner,
  input_token: inputToken,
  output_token: outputToken,
  amount_in_max: String(constraints.amountInMax),
  amount_out_min: String(constraints.amountOutMin),
  deadline: String(constraints.deadline),
  slippage_bps: constraints.slippageBps,
  nonce: String(nonce),
  execution_target: execution.target,
  data_hash: execution.dataHash,
  required_attestation_subject: execution.requiredAttestationSubject,
  required_attestation_schema: execution.requiredAttestationSchema,
  metadata_uri_hash: execution.metadataURIHash,
});

function describeRequirement({ requiredAttestationSubject, requiredAttestationSchema }: SignableIntent["execution"]) {
  const [noSubject, noSchema] = [requiredAttestationSubject === zeroHash, requiredAttestationSchema === zeroHash];
  if (noSubject && noSchema) return ["no required attestation"];
  const subject = noSubject ? "any subject" : `the subject ${requiredAttestationSubject}`;
  return [
    `a required attestation of ${subject} under ${noSchema ? "any schema" : `schema ${requiredAttestationSchema}`}`,
  ];
}

export async function describeIntent(
  { owner, constraints, execution, inputToken, outputToken, nonce }: SignableIntent,
  scope: Scope,
) {
  const { amountInMax, amountOutMin, deadline, slippageBps } = constraints;
  const given = { amount: amountInMax, token: inputToken };
  const wanted = { amount: amountOutMin, token: outputToken };
  await scope.compareTrade(given, wanted, "the owner");
  scope.checkUnlimited(amountInMax, "The amount to give");
  const conditions = [
    `the nonce ${nonce}`,
    slippageBps === 0 ? "no slippage" : `a slippage of ${slippageBps} basis points`,
    execution.target === zeroAddress ? "any execution target" : `the execution target ${execution.target}`,
    execution.dataHash === zeroHash ? "any execution data" : `the execution data with the hash ${execution.dataHash}`,
    ...describeRequirement(execution),
    execution.metadataURIHash === zeroHash
      ? "no metadata"
      : `metadata at a URI with the hash ${execution.metadataURIHash}`,
  ];
  return `a swap intent of ${owner} to give at most ${await scope.money(amountInMax, inputToken)} for at least ${await scope.money(amountOutMin, outputToken)} until ${scope.until(deadline)}, with ${conditions.join(", ")}`;
}

/** What the owner of an intent signs. */
export const intentData = (message: SignableIntent, scope: Scope) => ({
  domain: {
    name: "AgentIntentBook",
    version: "1",
    chainId: scope.context.config.chainId,
    verifyingContract: contractAt("IntentBook", scope),
  },
  types: intentTypes,
  primaryType: "Intent" as const,
  message,
});

/** Signatures with a larger s are valid too, but the contract accepts one of each pair only. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

type SignatureParts = { v: number; r: Hex; s: Hex };

/** Throws for a signature that is not the owner's of exactly this intent. */
export async function checkSignature(typed: ReturnType<typeof intentData>, { v, r, s }: SignatureParts): Promise<void> {
  const { owner } = typed.message;
  const signature = serializeSignature({ r, s, yParity: v - 27 });
  const signer = await recoverTypedDataAddress({ ...typed, signature }).catch((error: unknown) => {
    // Not every signature has a signer.
    if (error instanceof Error) return undefined;
    throw error;
  });
  if (signer?.toLowerCase() !== owner || BigInt(s) > MAX_S)
    throw new BadInput(
      `signature: is not one of ${owner} over exactly this intent; prepare it without a signature, and sign that typed_data`,
    );
}

export function signatureParts(signature: Hex): SignatureParts {
  const problem = "signature: must be the 65 bytes of an ECDSA signature";
  if (signature.length !== SIGNATURE_LENGTH) throw new BadInput(problem);
  try {
    const { v, yParity, r, s } = parseSignature(signature);
    return { v: Number(v ?? BigInt(yParity) + 27n), r, s };
  } catch {
    // viem rejects a recovery byte other than 0, 1, 27 and 28.
    throw new BadInput(problem);
  }
}
