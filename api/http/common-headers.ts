import { randomUUID } from "node:crypto";
import { INDEX_BLOCK, INDEX_STATUS } from "./index-headers";

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  ...["etag", "x-request-id", "retry-after", "ratelimit", "www-authenticate", "allow"],
  ...[INDEX_BLOCK, INDEX_STATUS],
  ...["payment-required", "payment-response", "x-payment-response"],
];

/** The headers of every response, besides its request id. */
export const commonHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS.join(","),
  // Browsers must not guess another content type, such as HTML in a published document.
  "x-content-type-options": "nosniff",
} as const;

/** The client's request id if it is valid, or a new one. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === "string" && sent !== "" && sent.length <= 255 && !/[^\w\-=]/.test(sent) ? sent : randomUUID();

/** The content type of JSON responses. */
export const JSON_TYPE = "application/json; charset=UTF-8";
