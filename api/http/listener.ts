import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Logger } from "pino";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import { type ErrorCode, errorBody, errorCodes } from "../core/error-codes";
import { type Failure, failureOf } from "./failure";
import { commonHeaders } from "./reply";

/** A request handler, such as a Hono app. */
type App = { fetch: (request: Request, bindings: object) => Response | Promise<Response> };

export type Listener = {
  /** Resolves once connections are accepted. */
  listening: Promise<unknown>;
  /** Stops gracefully. Resolves when all connections are closed. */
  drain: () => Promise<void>;
};

/** Equal to the body limit, so that an oversized parameter still gets a validation error. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Logs a request that did not reach the app. Returns the response headers, including the request id. */
function logRejection({ status, message }: Pick<Failure, "status" | "message">, log: Logger) {
  const requestId = randomUUID();
  log.info({ request_id: requestId, status, error: message }, "request");
  return {
    "content-type": "application/json",
    "x-request-id": requestId,
    ...commonHeaders,
  };
}

/** Writes an error response to a socket without a parsed request, and closes it. */
function rejectSocket(code: ErrorCode, message: string, socket: Duplex, log: Logger): void {
  const { status } = errorCodes[code];
  const body = JSON.stringify(errorBody(code, message));
  const headers = {
    ...logRejection({ status, message }, log),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/** Responds to malformed requests, oversized headers and request timeouts. */
function rejectClient(error: NodeJS.ErrnoException, socket: Duplex, log: Logger): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (error.code === "HPE_HEADER_OVERFLOW")
    rejectSocket(
      "headers_too_large",
      `The request line and headers are longer than ${MAX_HEADER_BYTES} bytes; shorten them`,
      socket,
      log,
    );
  else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    rejectSocket("request_timeout", "The request did not arrive in time; send it again", socket, log);
  else rejectSocket("malformed_request", "The request is not valid HTTP", socket, log);
}

/** Responds to requests with an invalid URL or Host header, which do not reach the app, and to errors that escape it. */
function errorResponse(error: unknown, log: Logger): Response {
  const failure =
    error instanceof RequestError
      ? {
          status: 400,
          code: "malformed_request" as const,
          message: "The request's URL or Host header is not valid",
          fault: false,
        }
      : failureOf(error);
  const headers = logRejection(failure, log);
  if (failure.fault) log.error({ request_id: headers["x-request-id"], err: error }, "failed request");
  return Response.json(errorBody(failure.code, failure.message), { status: failure.status, headers });
}

/**
 * How long idle connections stay open: longer than clients and proxies keep theirs. Otherwise one may send a request just as
 * its connection is closed.
 */
const IDLE_MS = 75_000;

/** How long draining still accepts connections, so that load balancers notice the 503 of /ready. */
const NOTICE_MS = 1_000;

/** How long idle connections may still send a last request. */
const LAST_REQUEST_MS = 1_000;

/** How long requests in flight may take after that. */
const IN_FLIGHT_MS = 5_000;

/** Where to listen. Without a host: on all addresses. */
type Address = { port: number; host?: string };

/** Serves `app` at the gateway's address. */
export function listen(app: App, { port, host }: Address, log: Logger): Listener {
  const handle = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    errorHandler: (error) => errorResponse(error, log),
  });
  // Node's default responses to a missing Host and an unknown Expect header have no body and no request id.
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    keepAliveTimeout: IDLE_MS,
  });
  // No limit, so that all headers are counted. Their bytes are limited.
  server.maxHeadersCount = 0;
  let draining = false;
  const inFlight = new Set<ServerResponse>();
  function forget(this: ServerResponse) {
    inFlight.delete(this);
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader("connection", "close");
    inFlight.add(response);
    response.on("close", forget);
    void handle(request, response);
  };
  server.on("request", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", (_, socket) => rejectSocket("malformed_request", "This server is not a proxy", socket, log));
  server.on("clientError", (error, socket) => rejectClient(error, socket, log));
  server.once("error", (error: NodeJS.ErrnoException) => {
    console.error(
      error.code === "EADDRINUSE"
        ? `Port ${port} is in use. Set API_PORT to another one.`
        : `The gateway can't listen on ${host ?? "all addresses"} (API_HOST), port ${port} (API_PORT): ${error.message}`,
    );
    process.exit(CONFIGURATION_ERROR);
  });
  const listening = new Promise((resolve) => server.once("listening", resolve));
  server.listen({ port, host });
  return {
    listening,
    async drain() {
      await withoutConnections(server, NOTICE_MS);
      draining = true;
      for (const response of inFlight) if (!response.headersSent) response.setHeader("connection", "close");
      // http.Server.close would also close idle connections, on which a client may be about to send a request.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      await withoutConnections(server, LAST_REQUEST_MS);
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), IN_FLIGHT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Waits until no connection is open, or for the time limit. */
async function withoutConnections(server: Server, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && (await connectionsOf(server)) > 0) await sleep(20);
}

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

/** How long closing resources may take. A database that hangs never confirms the end of a connection. */
const FINISH_MS = 5_000;

type Stopping = {
  /** Called at once: ends long-lived responses. */
  begin?: () => void;
  /** Called after the last request: closes resources. The process ends without it after a time limit. */
  finish: () => Promise<void>;
};

/** Drains the listener and exits on SIGTERM or SIGINT. Ignores repeated signals. */
export function stopOnSignals(listener: Listener, { begin, finish }: Stopping): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    begin?.();
    await listener.drain();
    await Promise.race([finish(), sleep(FINISH_MS)]);
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => {
    // Ctrl-C also signals cluster workers, but the supervisor stops them.
    if (!cluster.isWorker) void stop();
  });
}
