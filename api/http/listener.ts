import { randomUUID } from "node:crypto";
import { createServer, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Logger } from "pino";
import { type Failure, failureOf } from "./failure";

/** What answers requests; a Hono app is one. */
type App = { fetch: (request: Request, bindings: object) => Response | Promise<Response> };

type Listener = { server: Server; app: App };

declare global {
  /** Outlives a hot reload, which runs this module anew in the same process. */
  var intentryListener: Listener | undefined;
}

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

/** How long requests in flight may take once the process is asked to stop. */
const DRAIN_MS = 2_000;

/** What to do when the process is asked to stop. */
type Stopping = {
  /** At once: ends what would not end by itself. */
  begin?: () => void;
  /** When the last request is answered: closes what they needed. */
  finish: () => Promise<void>;
};

/**
 * Serves `app` on the gateway's own port, until the process is asked to stop. Called again, after a hot reload, it swaps the
 * app and keeps the port, so that no connection is dropped.
 */
export function listen(app: App, port: number, log: Logger, stopping: Stopping): void {
  if (globalThis.intentryListener) {
    globalThis.intentryListener.app = app;
    return;
  }
  const answer = getRequestListener((request, bindings) => listener.app.fetch(request, bindings), {
    errorHandler: (error) => answerError(error, log),
  });
  // Node's own answers to a missing Host and to an unknown expectation have no body and no id.
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };
  const listener: Listener = { app, server: createServer(options, answer) };
  listener.server.on("checkExpectation", answer);
  listener.server.on("connect", (_, socket) => refuse(400, "This server is no proxy", socket, log));
  listener.server.on("clientError", (error, socket) => refuseClient(error, socket, log));
  globalThis.intentryListener = listener;
  listener.server.once("error", (error: NodeJS.ErrnoException) => {
    console.error(
      error.code === "EADDRINUSE"
        ? `Port ${port} is in use. Set API_PORT to another one.`
        : `The gateway can't listen on port ${port} (API_PORT): ${error.message}`,
    );
    process.exit(1);
  });
  listener.server.listen(port);
  stopInOrder(listener.server, stopping);
}

/**
 * On SIGTERM and SIGINT: stop accepting, finish the requests in flight and then close what they needed, while Ponder's own handler closes the
 * database and releases its lock. Vite's once-listener for SIGTERM would end the process before that.
 */
function stopInOrder(server: Server, { begin, finish }: Stopping): void {
  for (const registered of process.rawListeners("SIGTERM")) {
    const { listener } = registered as { listener?: NodeJS.SignalsListener };
    if (listener) process.off("SIGTERM", listener);
  }
  const stop = () => {
    server.close(() => void finish());
    begin?.();
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  };
  process.once("SIGINT", stop);
  process.on("SIGTERM", stop);
}
