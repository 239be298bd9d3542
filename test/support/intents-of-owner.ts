import { type Hex, keccak256, stringToBytes, zeroAddress } from "viem";
import { signIntent } from "../../client/src/intents";
import { anyExecution, type SignableIntent } from "../../common/intent";
import { intentMetadataTypedData } from "../../common/intent-metadata";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import type { Stack } from "./stack";

export const [owner, stranger, solver] = [actor(1), actor(2), actor(3)];
export const DATA: Hex = "0xa9059cbb";
export const SUBJECT = keccak256(stringToBytes("subject"));
export const TARGET = solver.address.toLowerCase() as Hex;

export type Body = Record<string, unknown>;

/** Sends a request to the gateway, and parses the response. */
export async function send(
  { apiUrl }: Stack,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** Intents of the owner, who submits them to the chain and signs their metadata. */
export function intentsOfOwner(stack: Stack, deadline: bigint) {
  let nonce = 0n;
  let intents = 0;
  return {
    /** An intent without execution requirements, or with a target, data and a subject. */
    newIntent: (committed: boolean): SignableIntent => ({
      owner: owner.address,
      intentType: 0,
      constraints: { amountInMax: 1000n, amountOutMin: 900n, deadline, slippageBps: 0 },
      execution: committed
        ? { ...anyExecution, target: TARGET, dataHash: keccak256(DATA), requiredAttestationSubject: SUBJECT }
        : anyExecution,
      inputToken: zeroAddress,
      outputToken: zeroAddress,
      nonce: ++nonce,
    }),
    /** Submits an intent, waits until it is indexed, and returns its id. */
    async submit(intent: SignableIntent): Promise<string> {
      const { IntentBook } = stack.contracts;
      const call = await signIntent(owner, intent, { intentBook: IntentBook, chainId: LOCAL_CHAIN_ID });
      await stack.write(owner, "IntentBook", "submitIntent", call);
      await stack.indexed();
      return String(++intents);
    },
    /** The header with a signature of metadata that has only a target. */
    async signed(hash: Hex, target: Hex, signer = owner, chainId = LOCAL_CHAIN_ID) {
      const content = {
        executionTarget: target,
        executionData: null,
        requiredAttestationSubject: null,
        requiredAttestationSchema: null,
      };
      const typedData = intentMetadataTypedData({ chainId, intentHash: hash }, stack.contracts.IntentBook, content);
      return { "x-owner-signature": await signer.signTypedData(typedData) };
    },
  };
}
