import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { urlToHttpOptions } from "node:url";
import type { Handler } from "hono";
import { errorBody } from "../../api/core/error-codes";

/** Node's request and response, which Ponder's server passes to its app. */
type Bindings = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

/** The methods whose requests may have a body. Node frames the body of no other method. */
const METHODS_WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** Headers of a connection, not of a message. Node sets them for each connection. */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers without those of the connection, and without those that `Connection` names. */
function endToEnd<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(/\s*,\s*/);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)));
}

/**
 * The problem with the framing of a request, if there is one. The next request on the connection to the gateway must begin
 * exactly where this one ends. Node itself rejects a request with two lengths.
 */
function framingProblem({ method = "GET", headers }: IncomingMessage): string | undefined {
  const coding = headers["transfer-encoding"];
  const hasBody = coding !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody && !METHODS_WITH_BODY.has(method))
    return `${method} requests have no body; send it with POST, PUT or PATCH`;
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return "The only supported Transfer-Encoding is chunked";
  return undefined;
}

/**
 * Tells Ponder's server, @hono/node-server, that the response was already written. Its later versions look for the header
 * only in native responses, which `clone` returns.
 */
const alreadySent = () => new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone();

/**
 * Forwards requests to the gateway, and streams its responses. If the gateway does not respond, it calls `onFailure` and
 * returns 503. Node frames the body again for the connection to the gateway. A request whose framing is not exact gets 400.
 *
 * It pipes Node's streams. Request and Response objects cost much more CPU, which the indexer in the same process needs.
 */
export function forwardTo(apiUrl: string, onFailure: (error: unknown, path: string) => void): Handler<Bindings> {
  const agent = new Agent({ keepAlive: true });
  const address = urlToHttpOptions(new URL(apiUrl));
  return (c) =>
    new Promise((resolve) => {
      const { incoming, outgoing } = c.env;
      const { method, url: path, headers } = incoming;
      const problem = framingProblem(incoming);
      if (problem) return resolve(c.json(errorBody("malformed_request", problem), 400, { connection: "close" }));
      const forwarded = request({ ...address, agent, method, path, headers: endToEnd(headers) }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, endToEnd(response.headers));
        // Closes both sides if either fails. Then the client receives an incomplete response.
        pipeline(response, outgoing, () => {});
        resolve(alreadySent());
      });
      forwarded.on("error", (cause) => {
        if (outgoing.headersSent || outgoing.destroyed) return resolve(alreadySent());
        onFailure(cause, c.req.path);
        const error = `The gateway does not answer at ${apiUrl} (API_HOST, API_PORT); try again shortly`;
        resolve(c.json(errorBody("unavailable", error), 503, { "retry-after": "5" }));
      });
      outgoing.once("close", () => forwarded.destroy());
      if (METHODS_WITH_BODY.has(method ?? "GET")) incoming.pipe(forwarded);
      else forwarded.end();
    });
}
