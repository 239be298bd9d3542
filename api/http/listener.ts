import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";

/** What answers requests; a Hono app is one. */
type App = { fetch: (request: Request, bindings: object) => Response | Promise<Response> };

type Listener = { server: Server; app: App };

declare global {
  /** Outlives a hot reload, which runs this module anew in the same process. */
  var intentryListener: Listener | undefined;
}

/** As much as a body may have: a value that is far too long is still told what is wrong with it. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Answers what is not HTTP, or has too long a head, and so never becomes a request. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", `The request's head is longer than ${MAX_HEADER_BYTES} bytes`]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The request did not arrive in time"]
        : ["400 Bad Request", "This is not a request that HTTP knows"];
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${randomUUID()}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Answers a request whose address or Host header makes no URL; the app never sees it. */
const unreadable = () =>
  Response.json(
    { error: "The request's address or Host header can't be read" },
    { status: 400, headers: { "x-request-id": randomUUID() } },
  );

/** How long requests in flight may take once the process is asked to stop. */
const DRAIN_MS = 2_000;

/**
 * Serves `app` on the gateway's own port. Called again, after a hot reload, it swaps the app and keeps the port, so that
 * no connection is dropped.
 */
export function listen(app: App, port: number): void {
  if (globalThis.intentryListener) {
    globalThis.intentryListener.app = app;
    return;
  }
  const answer = getRequestListener((request, bindings) => listener.app.fetch(request, bindings), {
    errorHandler: unreadable,
  });
  const listener: Listener = { app, server: createServer({ maxHeaderSize: MAX_HEADER_BYTES }, answer) };
  listener.server.on("clientError", refuse);
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
  stopInOrder(listener.server);
}

/**
 * On SIGTERM and SIGINT: stop accepting and finish the requests in flight, while Ponder's own handler closes the
 * database and releases its lock. Vite's once-listener for SIGTERM would end the process before that.
 */
function stopInOrder(server: Server): void {
  for (const registered of process.rawListeners("SIGTERM")) {
    const { listener } = registered as { listener?: NodeJS.SignalsListener };
    if (listener) process.off("SIGTERM", listener);
  }
  const stop = () => {
    server.close();
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  };
  process.once("SIGINT", stop);
  process.on("SIGTERM", stop);
}
