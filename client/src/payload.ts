import { PAYLOAD_ENCRYPTION } from "../../common/payload-encryption";
import type { Hex, Uint } from "./api";
import { fromBase64Url, toBase64Url } from "./base64-url";
import { IntentryError } from "./error";

const VERSION = 1;
const CONTEXT = "intentry fulfillment payload";

/** The sizes of an uncompressed P-256 point, the salt, the nonce and the authentication tag, in bytes. */
const POINT_BYTES = 65;
const SALT_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The maximum size of a payload as JSON, in bytes. Its envelope stays below the service's 128 KiB for documents. */
export const MAX_PAYLOAD_BYTES = 96_000;

const MAX_ENVELOPE_CHARACTERS = 128 * 1024;

const CURVE = { name: "ECDH", namedCurve: "P-256" } as const;

/** The key pair of a merchant. Publish `publicKey`, for example in the catalog, and keep `privateKey` secret. */
export type PayloadKeyPair = {
  /** The uncompressed P-256 point in base64url. */
  publicKey: string;
  /** The private key as a JSON Web Key. */
  privateKey: JsonWebKey;
};

/** Who can read a payload, and what it is for. All fields are authenticated, and all are public. */
export type PayloadRecipient = {
  /** The merchant's public key, from {@link generatePayloadKey}. */
  publicKey: string;
  /** The merchant's name for this key. */
  keyId: string;
  /** The merchant that delivers. */
  merchantId?: Uint;
  /** The agent that ordered. */
  agent?: Hex;
  /** The quote that the payload belongs to. */
  quoteHash?: Hex;
};

/** The JSON document that {@link encryptPayload} returns as text. Binary values are base64url without padding. */
export type PayloadEnvelope = {
  version: 1;
  encryption: typeof PAYLOAD_ENCRYPTION;
  merchant_key_id: string;
  merchant_id: string | null;
  agent: string | null;
  quote_hash: string | null;
  /** The sender's public key, which is used once. */
  ephemeral_public_key: string;
  salt: string;
  iv: string;
  /** The encrypted JSON, followed by the authentication tag. */
  ciphertext: string;
};

type Header = Omit<PayloadEnvelope, "ciphertext">;

const encode = (text: string) => new TextEncoder().encode(text);

/** The additional authenticated data: every field except the ciphertext, in a fixed order. */
const authenticated = (header: Header) =>
  encode(
    JSON.stringify([
      CONTEXT,
      header.version,
      header.encryption,
      header.merchant_key_id,
      header.merchant_id,
      header.agent,
      header.quote_hash,
      header.ephemeral_public_key,
      header.salt,
      header.iv,
    ]),
  );

const importPoint = (point: Uint8Array<ArrayBuffer>) => crypto.subtle.importKey("raw", point, CURVE, true, []);

/** Derives the content key from both keys. Both public keys are part of the derivation, so that it fits one recipient. */
async function contentKey(
  privateKey: CryptoKey,
  publicKey: CryptoKey,
  salt: Uint8Array<ArrayBuffer>,
  points: readonly [sender: Uint8Array, recipient: Uint8Array],
  usage: "encrypt" | "decrypt",
): Promise<CryptoKey> {
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256);
  const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
  const info = new Uint8Array([...encode(`${CONTEXT} v${VERSION}`), ...points[0], ...points[1]]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt, info };
  return crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, [usage]);
}

const rawPoint = async (key: CryptoKey) => new Uint8Array(await crypto.subtle.exportKey("raw", key));

const invalid = (message: string, cause?: unknown) =>
  new IntentryError(message, { code: "invalid_envelope", ...(cause !== undefined && { cause }) });

/**
 * Creates a merchant's key pair for encrypted payloads.
 *
 * @example
 * const { publicKey, privateKey } = await generatePayloadKey();
 */
export async function generatePayloadKey(): Promise<PayloadKeyPair> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, true, ["deriveBits"]);
  return {
    publicKey: toBase64Url(await rawPoint(publicKey)),
    privateKey: await crypto.subtle.exportKey("jwk", privateKey),
  };
}

/**
 * Encrypts a JSON value for a merchant. Returns the text of the envelope, for `publishFulfillmentPayload`. Everyone can see
 * the recipient and the length, only the merchant the value.
 *
 * @example
 * const text = await encryptPayload({ address: "1 Main Street" }, { publicKey, keyId: "key-1", quoteHash });
 * const { payload_hash } = await intentry.publishFulfillmentPayload(text);
 */
export async function encryptPayload(payload: unknown, recipient: PayloadRecipient): Promise<string> {
  const json = JSON.stringify(payload);
  if (json === undefined) throw invalid("The payload must be a JSON value");
  const plaintext = encode(json);
  if (plaintext.length > MAX_PAYLOAD_BYTES)
    throw invalid(`The payload has ${plaintext.length} bytes as JSON; the maximum is ${MAX_PAYLOAD_BYTES}`);
  const recipientPoint = fromBase64Url(recipient.publicKey);
  if (recipientPoint?.length !== POINT_BYTES) throw invalid("publicKey: must be a P-256 point in base64url");
  const recipientKey = await importPoint(recipientPoint).catch((error: unknown) => {
    throw invalid("publicKey: is not a point of P-256", error);
  });
  const ephemeral = await crypto.subtle.generateKey(CURVE, true, ["deriveBits"]);
  const senderPoint = await rawPoint(ephemeral.publicKey);
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const header: Header = {
    version: VERSION,
    encryption: PAYLOAD_ENCRYPTION,
    merchant_key_id: recipient.keyId,
    merchant_id: recipient.merchantId === undefined ? null : String(recipient.merchantId),
    agent: recipient.agent?.toLowerCase() ?? null,
    quote_hash: recipient.quoteHash?.toLowerCase() ?? null,
    ephemeral_public_key: toBase64Url(senderPoint),
    salt: toBase64Url(salt),
    iv: toBase64Url(iv),
  };
  const points = [senderPoint, recipientPoint] as const;
  const key = await contentKey(ephemeral.privateKey, recipientKey, salt, points, "encrypt");
  const additionalData = authenticated(header);
  const encrypted = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plaintext);
  const envelope: PayloadEnvelope = { ...header, ciphertext: toBase64Url(new Uint8Array(encrypted)) };
  return JSON.stringify(envelope);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

/** Reads an envelope. Throws if it is not one of version 1. */
export function parseEnvelope(text: string): PayloadEnvelope {
  if (text.length > MAX_ENVELOPE_CHARACTERS) throw invalid("The envelope is longer than a document can be");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid("The envelope is not JSON", error);
  }
  if (typeof value !== "object" || value === null) throw invalid("The envelope is not a JSON object");
  const fields: Record<string, unknown> = { ...value };
  if (fields.version !== VERSION || fields.encryption !== PAYLOAD_ENCRYPTION)
    throw invalid(`The envelope is not of version ${VERSION} with ${PAYLOAD_ENCRYPTION}`);
  const { merchant_key_id, merchant_id, agent, quote_hash, ephemeral_public_key, salt, iv, ciphertext } = fields;
  if (
    !(isText(merchant_key_id) && isText(ephemeral_public_key) && isText(salt) && isText(iv) && isText(ciphertext)) ||
    !(isTextOrNull(merchant_id) && isTextOrNull(agent) && isTextOrNull(quote_hash))
  )
    throw invalid("A field of the envelope is missing, or is not a string");
  const recipient = { merchant_key_id, merchant_id, agent, quote_hash };
  return {
    version: VERSION,
    encryption: PAYLOAD_ENCRYPTION,
    ...recipient,
    ...{ ephemeral_public_key, salt, iv, ciphertext },
  };
}

/** The bytes of a field, which must have a certain size. */
function bytesOf(name: string, text: string, isSize: (bytes: number) => boolean): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64Url(text);
  if (!bytes || !isSize(bytes.length)) throw invalid(`${name}: is not base64url of the right length`);
  return bytes;
}

/**
 * Decrypts an envelope with the merchant's private key. Throws an IntentryError with the code `invalid_envelope` if it was
 * changed, or encrypted for another key.
 *
 * @example
 * const text = await intentry.documents.getFulfillmentPayload.query({ hash });
 * const order = await decryptPayload(text, privateKey);
 */
export async function decryptPayload(text: string, privateKey: JsonWebKey): Promise<unknown> {
  const { ciphertext, ...header } = parseEnvelope(text);
  const senderPoint = bytesOf("ephemeral_public_key", header.ephemeral_public_key, (size) => size === POINT_BYTES);
  const salt = bytesOf("salt", header.salt, (size) => size === SALT_BYTES);
  const iv = bytesOf("iv", header.iv, (size) => size === IV_BYTES);
  const encrypted = bytesOf(
    "ciphertext",
    ciphertext,
    (size) => size > TAG_BYTES && size <= MAX_PAYLOAD_BYTES + TAG_BYTES,
  );
  const { d: _, key_ops: __, ...publicPart } = privateKey;
  try {
    const recipientKey = await crypto.subtle.importKey("jwk", publicPart, CURVE, true, []);
    const ownKey = await crypto.subtle.importKey("jwk", privateKey, CURVE, false, ["deriveBits"]);
    const points = [senderPoint, await rawPoint(recipientKey)] as const;
    const key = await contentKey(ownKey, await importPoint(senderPoint), salt, points, "decrypt");
    const additionalData = authenticated(header);
    const plaintext = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, encrypted);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plaintext));
  } catch (error) {
    throw invalid("The envelope was changed, or encrypted for another key", error);
  }
}
