import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { IndexHead } from "../index/head";
import { commonHeaders, JSON_TYPE } from "./common-headers";
import { indexHeaders } from "./index-headers";
import { logRequest } from "./log";

/** A request that is served without Hono, its arrival and its id. */
export type Exchange = { request: IncomingMessage; response: ServerResponse; start: number; requestId: string };

export type Reply = {
  status: number;
  /** Names and values in turn. */
  headers: readonly string[];
  /** Text must be ASCII. */
  body?: string | Uint8Array;
  /** The index head that the headers name. */
  head?: IndexHead | undefined;
};

const flatCommonHeaders = Object.entries(commonHeaders).flat();

/** The path of a request's URL, without the query. */
export const pathOf = (url: string): string => {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? url : url.slice(0, queryStart);
};

/** Sends a response and logs the request. */
export function send(
  log: Logger,
  { request, response, start, requestId }: Exchange,
  operation: string,
  reply: Reply,
): void {
  const { method = "", url = "" } = request;
  const { status, headers, body, head } = reply;
  const all = headers.concat(flatCommonHeaders, head ? indexHeaders(head) : [], "x-request-id", requestId);
  response.writeHead(status, all);
  if (method === "HEAD") response.end();
  // Text is ASCII, and Node takes longer to encode it as UTF-8.
  else if (typeof body === "string") response.end(body, "latin1");
  else response.end(body);
  logRequest(log, { requestId, method, path: pathOf(url), operation, status, start });
}

/** A reply with a JSON body. */
export function jsonReply({ headers, body, ...reply }: Reply & { body: string }): Reply {
  const bytes = Buffer.from(body);
  const length = String(bytes.length);
  const typed = ["content-type", JSON_TYPE, "content-length", length, ...headers];
  return { ...reply, headers: typed, body: bytes };
}
