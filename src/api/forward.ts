import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { urlToHttpOptions } from "node:url";
import type { Handler } from "hono";
import { errorBody } from "../../api/core/error-codes";

/** Node's request and response, which Ponder's server passes to its app. */
type Bindings = { Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } };

/** Headers of a connection, not of a message. Node sets them for each connection. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const endToEnd = <Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

/**
 * Tells Ponder's server, @hono/node-server, that the response was already written. Its later versions look for the header
 * only in native responses, which `clone` returns.
 */
const alreadySent = () => new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone();

/**
 * Forwards requests to the gateway, and streams its responses. If the gateway does not respond, it calls `onFailure` and
 * returns 503.
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
      incoming.pipe(forwarded);
    });
}
