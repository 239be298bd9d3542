import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { IndexHead } from "../index/head";
import { commonHeaders } from "./common-headers";
import { indexHeaders } from "./index-headers";
import { logRequest } from "./log";

/** A request that is served without Hono, its arrival and its id. */
export type Exchange = { request: IncomingMessage; response: ServerResponse; start: number; requestId: string };

type Reply = {
  status: number;
  /** Names and values in turn. */
  headers: readonly string[];
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
export function send(log: Logger, { request, response, start, requestId }: Exchange, reply: Reply): void {
  const { method = "", url = "" } = request;
  const { status, headers, body, head } = reply;
  const all = [...headers, ...flatCommonHeaders, "x-request-id", requestId];
  if (head) for (const [name, value] of indexHeaders(head)) all.push(name, value);
  response.writeHead(status, all);
  response.end(method === "HEAD" ? undefined : body);
  logRequest(log, { requestId, method, path: pathOf(url), status, start });
}

/** Sends JSON. */
export function sendJson(log: Logger, exchange: Exchange, { headers, body, ...reply }: Reply & { body: string }): void {
  const length = String(Buffer.byteLength(body));
  const typed = ["content-type", "application/json; charset=UTF-8", "content-length", length, ...headers];
  send(log, exchange, { ...reply, headers: typed, body });
}
