import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import type { Caller } from "../core/operation";
import type { IndexHead } from "../indexed/head";
import { requestSeconds } from "../telemetry/metrics";
import { endRequestSpan } from "../telemetry/span";

/** Hono's bindings and variables of a request. */
export type Env = {
  /** Node's request and response. Absent in tests that call the app without a server. */
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse } | undefined;
  Variables: {
    /** The arrival of the request by `performance.now()`. */
    start: number;
    requestId: string;
    log: Logger;
    caller: Caller;
    /** The name of the operation, or of the transport. */
    operation?: string;
    /** Headers of the response that are known before there is a reply. Errors have them too. */
    headers?: Readonly<Record<string, string>>;
  };
};

/** What a handler replies. Headers that all responses have are added to it. */
export type Reply = {
  status: number;
  headers: Headers;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
};

export const JSON_TYPE = "application/json; charset=UTF-8";

/** Headers of responses that read the index. */
export const INDEX_BLOCK = "x-index-block";
export const INDEX_STATUS = "x-index-status";

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

/** The strong entity tag of a body. */
const etagOf = (body: string | Uint8Array) => `"${hash("sha1", body, "base64url")}"`;

/** Whether an `If-None-Match` header names this tag. */
export const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(",").some((tag) => {
    const name = tag.trim().replace(/^W\//, "");
    return name === "*" || name === etag;
  }) ?? false;

/** The headers of a body. Its length is set here, because the response to a HEAD has no body to measure. */
const contentHeaders = (body: string | Uint8Array, type: string) => ({
  "content-type": type,
  "content-length": String(Buffer.byteLength(body)),
});

type Headers = Readonly<Record<string, string>>;

/** A reply with an entity tag, so that a client that has the same body gets a 304. */
export const taggedReply = (
  body: string | Uint8Array<ArrayBuffer>,
  type = JSON_TYPE,
  headers: Headers = {},
): Reply => ({
  status: 200,
  body,
  headers: { etag: headers.etag ?? etagOf(body), ...headers, ...contentHeaders(body, type) },
});

/** A reply with a text. */
export const textReply = (body: string, type: string, status: number, headers: Headers = {}): Reply => ({
  status,
  body,
  headers: { ...headers, ...contentHeaders(body, type) },
});

/** A reply with a JSON object. */
export const jsonReply = (content: object, status: number, headers: Headers = {}): Reply =>
  textReply(JSON.stringify(content), JSON_TYPE, status, headers);

/** The headers of a head, by the head. Many responses have the same one. */
const headersOfHeads = new WeakMap<IndexHead, Readonly<Record<string, string>>>();

function headersOf(head: IndexHead): Readonly<Record<string, string>> {
  let headers = headersOfHeads.get(head);
  if (!headers) {
    headers = {
      ...(head.block !== null && { [INDEX_BLOCK]: head.block.toString() }),
      ...(!head.historyDone && { [INDEX_STATUS]: "syncing" }),
    };
    headersOfHeads.set(head, headers);
  }
  return headers;
}

/** Whether the client has the body of a reply. It has no copy of one that it must not store, such as a paid one. */
const isUnchanged = (c: HonoContext<Env>, { status, headers: { etag, "cache-control": caching } }: Reply): boolean =>
  status === 200 && etag !== undefined && !caching?.includes("no-store") && hasTag(c.req.header("if-none-match"), etag);

const withoutContent = ({
  "content-type": _,
  "content-length": __,
  "content-encoding": ___,
  ...headers
}: Headers): Headers => headers;

const MAX_PATH_CHARACTERS = 200;

/** Truncates a request path for messages and logs. */
export const truncatePath = (path: string) =>
  path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;

type LoggedRequest = {
  requestId: string;
  method: string;
  path: string;
  /** The name of its operation, or of the transport. */
  operation: string;
  status: number;
  /** Its arrival by `performance.now()`. */
  start: number;
};

/** Logs and measures a request when there is its response, and ends its span. */
export function logRequest(log: Logger, { requestId, method, path, operation, status, start }: LoggedRequest): void {
  const elapsed = performance.now() - start;
  requestSeconds.observe({ operation, status }, elapsed / 1000);
  endRequestSpan({ requestId, operation, status });
  const ms = Math.round(elapsed * 10) / 10;
  log.info({ request_id: requestId, method, path: truncatePath(path), status, ms }, "request");
}

/**
 * Responds to a request and logs it. All headers are known here, and nothing changes the response afterwards: that would make
 * Hono and its server copy it.
 */
export function reply(c: HonoContext<Env>, sent: Reply): Response {
  const requestId = c.get("requestId");
  // V8 takes twenty times longer if the first property is a spread.
  const headers = { "x-request-id": requestId, ...sent.headers, ...commonHeaders, ...c.get("headers") };
  const response = isUnchanged(c, sent)
    ? new Response(null, { status: 304, headers: withoutContent(headers) })
    : new Response(sent.body, { status: sent.status, headers });
  // After the time limit the client has a response already.
  if (!c.finalized) {
    const { method, path } = c.req;
    const operation = c.get("operation") ?? "unknown";
    logRequest(c.get("log"), { requestId, method, path, operation, status: response.status, start: c.get("start") });
  }
  return response;
}

/**
 * Sets the index block of the response and, during a backfill, the status `syncing`. A response with several reads, such as
 * a tRPC batch, has the lowest block.
 */
export function setIndexHead(c: HonoContext<Env>, head: IndexHead): void {
  const current = c.get("headers");
  const added = headersOf(head);
  if (current === added) return;
  const isOlder = head.block !== null && head.block < BigInt(current?.[INDEX_BLOCK] ?? head.block);
  if (current) c.set("headers", isOlder ? { ...current, ...added } : { ...added, ...current });
  else c.set("headers", added);
}
