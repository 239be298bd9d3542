import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Logger } from "pino";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import { type Failure, failureOf } from "./failure";

/** What answers requests; a Hono app is one. */
type App = { fetch: (request: Request, bindings: object) => Response | Promise<Response> };

export type Listener = {
  /** Stops without breaking a connection that is in use. Resolves when the last request is answered. */
  drain: () => Promise<void>;
};

/** As much as a body may have: a value that is far too long is still told what is wrong with it. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Writes the line about a request that the app did not answer, and gives the headers of the answer that names it. */
function logRefusal({ status, message }: Pick<Failure, "status" | "message">, log: Logger) {
  const requestId = randomUUID();
  log.info({ request_id: requestId, status, error: message }, "request");
  return { "content-type": "application/json", "x-request-id": requestId, "access-control-allow-origin": "*" };
}

/** Answers on the bare connection what never becomes a request. */
function refuse(status: number, message: string, socket: Duplex, log: Logger): void {
  const body = JSON.stringify({ error: message });
  const headers = {
    ...logRefusal({ status, message }, log),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/** Answers what is not HTTP, has too long a head or does not arrive. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex, log: Logger): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (error.code === "HPE_HEADER_OVERFLOW")
    refuse(431, `The request's head is longer than ${MAX_HEADER_BYTES} bytes`, socket, log);
  else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuse(408, "The request did not arrive in time", socket, log);
  else refuse(400, "This is not a request that HTTP knows", socket, log);
}

/** Answers a request whose address or Host header makes no URL, which the app never sees, and what the app let through. */
function answerError(error: unknown, log: Logger): Response {
  const failure =
    error instanceof RequestError
      ? { status: 400, message: "The request's address or Host header can't be read", fault: false }
      : failureOf(error);
  const headers = logRefusal(failure, log);
  if (failure.fault) log.error({ request_id: headers["x-request-id"], err: error }, "failed request");
  return Response.json({ error: failure.message }, { status: failure.status, headers });
}

/** How long new connections are still accepted while draining: a load balancer has to notice the 503 of /ready. */
const NOTICE_MS = 1_000;

/** How long a client has to send the request after which its connection is closed. */
const LAST_REQUEST_MS = 1_000;

/** How long requests in flight may take after that. */
const IN_FLIGHT_MS = 5_000;

/** Serves `app` on the gateway's port. */
export function listen(app: App, port: number, log: Logger): Listener {
  const answer = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    errorHandler: (error) => answerError(error, log),
  });
  // Node's own answers to a missing Host and to an unknown expectation have no body and no id.
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false });
  let draining = false;
  const inFlight = new Set<ServerResponse>();
  const answerRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader("connection", "close");
    inFlight.add(response);
    response.once("close", () => inFlight.delete(response));
    return answer(request, response);
  };
  server.on("request", answerRequest);
  server.on("checkExpectation", answerRequest);
  server.on("connect", (_, socket) => refuse(400, "This server is not a proxy", socket, log));
  server.on("clientError", (error, socket) => refuseClient(error, socket, log));
  server.once("error", (error: NodeJS.ErrnoException) => {
    console.error(
      error.code === "EADDRINUSE"
        ? `Port ${port} is in use. Set API_PORT to another one.`
        : `The gateway can't listen on port ${port} (API_PORT): ${error.message}`,
    );
    process.exit(CONFIGURATION_ERROR);
  });
  server.listen(port);
  return {
    async drain() {
      await withoutConnections(server, NOTICE_MS);
      draining = true;
      for (const response of inFlight) if (!response.headersSent) response.setHeader("connection", "close");
      // http.Server's own close would also cut idle connections, on which a client may be sending a request just now.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await withoutConnections(server, LAST_REQUEST_MS);
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), IN_FLIGHT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Waits until no connection is open, for a limited time. */
async function withoutConnections(server: Server, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline && (await connectionsOf(server)) > 0) await sleep(20);
}

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

/** What to do when the process is asked to stop. */
type Stopping = {
  /** At once: ends what would not end by itself. */
  begin?: () => void;
  /** After the last request: closes what requests needed. */
  finish: () => Promise<void>;
};

/** Drains the listener and ends the process on SIGTERM and SIGINT. More signals change nothing. */
export function stopOnSignals(listener: Listener, { begin, finish }: Stopping): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    begin?.();
    await listener.drain();
    await finish();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => {
    // Ctrl-C in a terminal also reaches a worker, but its supervisor decides when it stops.
    if (!cluster.isWorker) void stop();
  });
}
