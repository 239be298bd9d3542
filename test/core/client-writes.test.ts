import { parseEventLogs, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { intentBookAbi } from "../../abis/index";
import {
  anyExecution,
  createIntentryClient,
  decryptPayload,
  encryptPayload,
  fulfillmentEvidence,
  generatePayloadKey,
  type IntentryClient,
  intentHash,
  PAYLOAD_ENCRYPTION,
  type SignableIntent,
} from "../../client/src/index";
import { people } from "../../stack/local/sample/people";
import { fund, ownAccount } from "../support/own-accounts";
import { type WrittenStack, writesStack } from "../support/shared-stack";

const [owner, solver] = [ownAccount("owner with a client"), ownAccount("solver of the owner with a client")];

describe("the client, writing", () => {
  let stack: WrittenStack;
  let intentry: IntentryClient;

  beforeAll(async () => {
    stack = await writesStack();
    await fund(stack.client, owner, solver);
    intentry = createIntentryClient({ url: stack.apiUrl });
  });
  afterAll(() => stack?.release());

  it("signs and submits an intent, and waits for its statuses", async () => {
    const deadline = (await stack.client.getBlock()).timestamp + 10_000n;
    const intent: SignableIntent = {
      owner: owner.address,
      intentType: 0,
      constraints: { amountInMax: 1000n, amountOutMin: 900n, deadline, slippageBps: 0 },
      execution: anyExecution,
      inputToken: zeroAddress,
      outputToken: zeroAddress,
      nonce: 77n,
    };
    const hash = intentHash(intent);
    const owner_signature = await intentry.signMetadata(owner, hash, { executionTarget: solver.address });
    const reserved = await intentry.intents.reserveMetadata.mutate({
      intent_hash: hash,
      owner: owner.address,
      execution_target: solver.address,
      owner_signature,
    });
    expect(reserved).toMatchObject({ signed: true, intent_id: null });

    const args = await intentry.signIntent(owner, intent);
    const { logs } = await stack.write(owner, "IntentBook", "submitIntent", args);
    const [submitted] = parseEventLogs({ abi: intentBookAbi, logs, eventName: "IntentSubmitted" });
    const id = submitted?.args.intentId ?? 0n;
    const open = await intentry.waitForIntent(id, { status: "OPEN", timeoutMs: 20_000 });
    expect(open).toMatchObject({ intent_hash: hash, metadata: { execution_target: solver.address.toLowerCase() } });

    await stack.write(solver, "IntentBook", "submitBid", [id, 1000n, 950n, 1n, deadline, zeroHash]);
    await stack.write(owner, "IntentBook", "selectBid", [id, 1n]);
    const filled = intentry.waitForIntent(String(id), { timeoutMs: 20_000 });
    await stack.write(owner, "IntentBook", "cancelIntent", [id]);
    await expect(filled).rejects.toThrow(`Intent ${id} is CANCELLED, and can no longer be FILLED`);
  });

  it("publishes documents under the hash of their text", async () => {
    const text = '{ "services": [ "weather" ] }\n';
    const { uri, merchant_id } = await intentry.publishCatalog(text, { merchant_id: 1n });
    expect(merchant_id).toBe("1");
    expect(await (await fetch(uri)).text()).toBe(text);
  });

  it("delivers an encrypted payload, and records the hash of its evidence on chain", async () => {
    const { publicKey, privateKey } = await generatePayloadKey();
    const { agent, quote_hash: quoteHash, merchant_id } = await intentry.receipts.get.query({ id: 2 });
    const order = { subject: "a cat", size: [30, 40] };
    const sealed = await encryptPayload(order, {
      publicKey,
      keyId: "art-1",
      merchantId: merchant_id,
      agent,
      quoteHash,
    });
    const payload = await intentry.publishFulfillmentPayload(sealed);
    expect(payload).toMatchObject({ merchant_id, agent, quote_hash: quoteHash, merchant_key_id: "art-1" });
    expect(payload.encryption).toBe(PAYLOAD_ENCRYPTION);

    const { payload_hash: payloadHash } = payload;
    const stored = await intentry.documents.getFulfillmentPayload.query({ hash: payloadHash });
    expect(await decryptPayload(stored, privateKey)).toEqual(order);

    const evidence = fulfillmentEvidence({ type: "delivery", receiptId: 2, quoteHash, payloadHash });
    await intentry.publishFulfillmentEvidence(evidence.text);
    await stack.write(people.artMerchant, "CommerceRegistry", "recordFulfillment", [2n, evidence.hash]);
    const receipt = await stack.read("CommerceRegistry", "getReceipt", [2n]);
    expect(receipt).toMatchObject({ fulfillmentHash: evidence.hash });
    await stack.indexed();
    expect(await intentry.receipts.get.query({ id: 2 })).toMatchObject({
      fulfillment_hash: evidence.hash,
      fulfillment_evidence: { evidence_hash: evidence.hash, evidence_type: "delivery" },
    });
  });

  it("publishes several long documents concurrently, and reports one that is too long", async () => {
    const texts = [1, 2, 3].map((number) => JSON.stringify({ number, words: "w".repeat(100 * 1024) }));
    const published = await Promise.all(texts.map((text) => intentry.publishCatalog(text)));
    expect(published.map(({ size_bytes }) => size_bytes)).toEqual(texts.map(({ length }) => length));
    await expect(intentry.publishCatalog(JSON.stringify("w".repeat(300 * 1024)))).rejects.toMatchObject({
      name: "IntentryError",
      status: 413,
      message: "body: must have at most 262144 bytes",
    });
  });
});
