import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64Url, toBase64Url } from "../../client/src/base64-url";
import {
  decryptPayload,
  documentHash,
  encryptPayload,
  fulfillmentEvidence,
  generatePayloadKey,
  MAX_PAYLOAD_BYTES,
  PAYLOAD_ENCRYPTION,
  type PayloadEnvelope,
  parseEnvelope,
} from "../../client/src/index";
import { runs } from "../support/seed";

const [merchant, other] = await Promise.all([generatePayloadKey(), generatePayloadKey()]);
const agent = `0x${"Ab".repeat(20)}` as const;
const quoteHash = `0x${"1F".repeat(32)}` as const;
const recipient = { publicKey: merchant.publicKey, keyId: "key-1", merchantId: 7n, agent, quoteHash };

const changedEnvelope = (text: string, change: (envelope: PayloadEnvelope) => object) =>
  JSON.stringify({ ...parseEnvelope(text), ...change(parseEnvelope(text)) });

/** Flips one bit of a base64url text. */
const flipped = (text: string) => {
  const bytes = fromBase64Url(text) ?? new Uint8Array();
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return toBase64Url(bytes);
};

const refused = { name: "IntentryError", code: "invalid_envelope" };

describe("an encrypted payload", () => {
  it("is decrypted to the same JSON value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (payload) => {
        const text = await encryptPayload(payload, recipient);
        expect(await decryptPayload(text, merchant.privateKey)).toEqual(JSON.parse(JSON.stringify(payload)));
      }),
      { numRuns: runs(20) },
    );
  });

  it("has a documented envelope, with the fields that the service requires and without the plaintext", async () => {
    const text = await encryptPayload({ address: "1 Main Street" }, recipient);
    expect(JSON.parse(text)).toEqual({
      version: 1,
      encryption: PAYLOAD_ENCRYPTION,
      merchant_key_id: "key-1",
      merchant_id: "7",
      agent: agent.toLowerCase(),
      quote_hash: quoteHash.toLowerCase(),
      ephemeral_public_key: expect.stringMatching(/^[\w-]{87}$/),
      salt: expect.stringMatching(/^[\w-]{43}$/),
      iv: expect.stringMatching(/^[\w-]{16}$/),
      ciphertext: expect.stringMatching(/^[\w-]+$/),
    });
    expect(text).not.toContain("Main");
  });

  it("never has the same keys, salt or nonce twice", async () => {
    const [one, two] = [await encryptPayload(1, recipient), await encryptPayload(1, recipient)].map(parseEnvelope);
    for (const field of ["ephemeral_public_key", "salt", "iv", "ciphertext"] as const)
      expect(one?.[field]).not.toBe(two?.[field]);
  });

  it("can't be read with another key", async () => {
    const text = await encryptPayload("secret", recipient);
    await expect(decryptPayload(text, other.privateKey)).rejects.toMatchObject(refused);
  });

  it.each<[string, (envelope: PayloadEnvelope) => object]>([
    ["key id", () => ({ merchant_key_id: "key-2" })],
    ["merchant", () => ({ merchant_id: "8" })],
    ["missing merchant", () => ({ merchant_id: null })],
    ["agent", () => ({ agent: `0x${"cd".repeat(20)}` })],
    ["quote", () => ({ quote_hash: `0x${"2f".repeat(32)}` })],
    ["salt", ({ salt }) => ({ salt: flipped(salt) })],
    ["nonce", ({ iv }) => ({ iv: flipped(iv) })],
    ["ciphertext", ({ ciphertext }) => ({ ciphertext: flipped(ciphertext) })],
    ["sender's key", () => ({ ephemeral_public_key: other.publicKey })],
    ["point that is not on the curve", () => ({ ephemeral_public_key: flipped(other.publicKey) })],
    ["shorter nonce", () => ({ iv: "AAAA" })],
    ["empty ciphertext", () => ({ ciphertext: "" })],
    ["padded ciphertext", ({ ciphertext }) => ({ ciphertext: `${ciphertext}==` })],
    ["version", () => ({ version: 2 })],
    ["algorithm", () => ({ encryption: "none" })],
    ["salt that is a number", () => ({ salt: 1 })],
  ])("is rejected with another %s", async (_, change) => {
    const text = await encryptPayload("secret", recipient);
    await expect(decryptPayload(changedEnvelope(text, change), merchant.privateKey)).rejects.toMatchObject(refused);
  });

  it.each(["", "{", "null", "[]", '"text"', "{}", `"${"x".repeat(200_000)}"`])(
    "is rejected if it is not an envelope: %.20j",
    async (text) => {
      await expect(decryptPayload(text, merchant.privateKey)).rejects.toMatchObject(refused);
    },
  );

  it("has at most 96,000 bytes, and then fits into a document of the service", async () => {
    const largest = "x".repeat(MAX_PAYLOAD_BYTES - 2);
    const longest = { ...recipient, keyId: "k".repeat(220), merchantId: 2n ** 256n - 1n };
    const text = await encryptPayload(largest, longest);
    expect(text.length).toBeLessThanOrEqual(128 * 1024);
    expect(await decryptPayload(text, merchant.privateKey)).toBe(largest);
    await expect(encryptPayload(`${largest}x`, recipient)).rejects.toThrow("has 96001 bytes as JSON");
    await expect(encryptPayload(undefined, recipient)).rejects.toMatchObject(refused);
  });

  it.each(["", "AAAA", "not base64!", flipped(merchant.publicKey)])(
    "is not encrypted for the key %j",
    async (publicKey) => {
      await expect(encryptPayload(1, { publicKey, keyId: "key-1" })).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(/^publicKey: /),
      });
    },
  );
});

it("base64url encodes bytes like Node, and decodes nothing else", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = toBase64Url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64url"));
      expect(fromBase64Url(text)).toEqual(bytes);
    }),
  );
  for (const text of ["A", "AB", "A=", "A+/A", "AA\n"]) expect(fromBase64Url(text)).toBeUndefined();
});

it("evidence is hashed as the text that is published", () => {
  const { text, hash } = fulfillmentEvidence({ type: "delivery", receiptId: 3n, quoteHash, details: { parcel: 1 } });
  expect(JSON.parse(text)).toEqual({
    type: "delivery",
    receipt_id: "3",
    quote_hash: quoteHash.toLowerCase(),
    details: { parcel: 1 },
  });
  expect(hash).toBe(documentHash(text));
});
