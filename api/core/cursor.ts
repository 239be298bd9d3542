import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";

const TAG_BYTES = 12;

const Payload = z.array(z.string());

/** The tag that only this service can make for a place in one list with its filters. */
const tagOf = (secret: string, list: string, payload: Uint8Array) =>
  createHmac("sha256", secret).update(`${list}\n`).update(payload).digest().subarray(0, TAG_BYTES);

/**
 * Writes a place in a list, the sort key of the last row seen, as an opaque text.
 *
 * @example
 * writeCursor(secret, 'GET /intents {"status":"open"}', ["7"]) // "4yq8…"
 */
export function writeCursor(secret: string, list: string, key: readonly string[]): string {
  const payload = Buffer.from(JSON.stringify(key));
  return Buffer.concat([tagOf(secret, list, payload), payload]).toString("base64url");
}

/** Reads a cursor back, or gives null for one that {@link writeCursor} did not make for this list and these filters. */
export function readCursor(secret: string, list: string, cursor: string): string[] | null {
  const bytes = Buffer.from(cursor, "base64url");
  // What base64url leaves out when it decodes (other characters, loose bits) would make many texts one cursor.
  if (bytes.toString("base64url") !== cursor || bytes.length <= TAG_BYTES) return null;
  const payload = bytes.subarray(TAG_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(secret, list, payload))) return null;
  return Payload.parse(JSON.parse(payload.toString()));
}
