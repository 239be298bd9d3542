import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

const TAG_BYTES = 12;

const Payload = z.array(z.string());

/** The authentication tag (truncated HMAC) of a cursor. It binds the cursor to one list with one set of filters. */
const tagOf = (secret: string, list: string, payload: Uint8Array) =>
  createHmac("sha256", secret).update(`${list}\n`).update(payload).digest().subarray(0, TAG_BYTES);

/**
 * Encodes the sort key of a page's last row as an opaque, signed cursor.
 *
 * @example
 * writeCursor(secret, 'GET /intents {"status":"open"}', ["7"]) // "4yq8…"
 */
export function writeCursor(secret: string, list: string, key: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify(key));
  return Buffer.concat([tagOf(secret, list, payload), payload]).toString("base64url");
}

/** Decodes a cursor. Returns null unless {@link writeCursor} made it for the same list and filters. */
export function readCursor(secret: string, list: string, cursor: string): string[] | null {
  const bytes = Buffer.from(cursor, "base64url");
  // Node's base64url decoder ignores invalid characters and trailing bits. Accept only the canonical encoding.
  if (bytes.toString("base64url") !== cursor || bytes.length <= TAG_BYTES) return null;
  const payload = bytes.subarray(TAG_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(secret, list, payload))) return null;
  return Payload.parse(JSON.parse(payload.toString()));
}
