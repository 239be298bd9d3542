import { createHash } from "node:crypto";

/** The entity tag of a body: equal for equal bytes. */
export const etagOf = (body: string | Uint8Array) => `"${createHash("sha1").update(body).digest("base64url")}"`;

/** Whether an `If-None-Match` header names this tag, so that the client already has the body. */
export const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(",").some((tag) => {
    const name = tag.trim().replace(/^W\//, "");
    return name === "*" || name === etag;
  }) ?? false;
