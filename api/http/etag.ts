import { hash } from "node:crypto";

/** The strong entity tag of a body. */
export const etagOf = (body: string | Uint8Array) => `"${hash("sha1", body, "base64url")}"`;

/** Whether an `If-None-Match` header matches this tag. */
export const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(",").some((tag) => {
    const name = tag.trim().replace(/^W\//, "");
    return name === "*" || name === etag;
  }) ?? false;
