import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { JSON_TYPE } from "./common-headers";

/** Responds with JSON. Sets the length, because the response to a HEAD has no body to measure. */
export function respondJson(
  c: Context,
  content: object,
  status: ContentfulStatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = JSON.stringify(content);
  const length = String(Buffer.byteLength(body));
  return c.body(body, status, { ...headers, "content-type": JSON_TYPE, "content-length": length });
}
