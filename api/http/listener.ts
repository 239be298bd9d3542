import { createAdaptorServer, type ServerType } from "@hono/node-server";
import type { Hono } from "hono";

type Listener = { server: ServerType; app: Hono };

declare global {
  /** Outlives a hot reload, which runs this module anew in the same process. */
  var intentryListener: Listener | undefined;
}

/** How long requests in flight may take once the process is asked to stop. */
const DRAIN_MS = 2_000;

/**
 * Serves `app` on the gateway's own port. Called again, after a hot reload, it swaps the app and keeps the port, so that
 * no connection is dropped.
 */
export function listen(app: Hono, port: number): void {
  if (globalThis.intentryListener) {
    globalThis.intentryListener.app = app;
    return;
  }
  const listener: Listener = {
    app,
    server: createAdaptorServer({ fetch: (request, bindings) => listener.app.fetch(request, bindings) }),
  };
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
function stopInOrder(server: ServerType): void {
  for (const registered of process.rawListeners("SIGTERM")) {
    const { listener } = registered as { listener?: NodeJS.SignalsListener };
    if (listener) process.off("SIGTERM", listener);
  }
  const stop = () => {
    server.close();
    if ("closeIdleConnections" in server) server.closeIdleConnections();
    if ("closeAllConnections" in server) setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  };
  process.once("SIGINT", stop);
  process.on("SIGTERM", stop);
}
