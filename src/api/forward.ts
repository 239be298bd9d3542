import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import type { Handler } from "hono";

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

/** Tells Ponder's server that Node's response was written to. A clone, because newer versions ignore the header of others. */
const alreadySent = () => new Response(null, { headers: { "x-hono-already-sent": "true" } }).clone();

/**
 * Forwards requests to the gateway, and responds with what it answers, streams as they come. Without an answer it calls
 * `onFailure` and returns 503.
 *
 * Bytes pass from connection to connection. Request and Response objects with their streams would take much of the time of
 * the indexer, which runs in the same process.
 */
export function forwardTo(apiUrl: string, onFailure: (error: unknown, path: string) => void): Handler<Bindings> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(apiUrl);
  return (c) =>
    new Promise((resolve) => {
      const { incoming, outgoing } = c.env;
      const options = { agent, hostname, port, method: incoming.method, path: incoming.url };
      const forwarded = request({ ...options, headers: endToEnd(incoming.headers) }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        // Closes both sides if either fails. Then the client sees an incomplete response.
        pipeline(answer, outgoing, () => {});
        resolve(alreadySent());
      });
      forwarded.on("error", (cause) => {
        if (outgoing.headersSent || outgoing.destroyed) return resolve(alreadySent());
        onFailure(cause, c.req.path);
        const error = `The gateway does not answer at ${apiUrl} (API_HOST, API_PORT); try again shortly`;
        resolve(c.json({ error }, 503, { "retry-after": "5" }));
      });
      outgoing.once("close", () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
}
