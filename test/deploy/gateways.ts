import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePorts } from "../../stack/roles/ports";

/** A stand-in for a gateway behind a proxy. */
export type FakeGateway = {
  port: number;
  /** The paths of the requests, without those of health checks. */
  requests: string[];
  /** What `/ready` returns. */
  ready: boolean;
  /** Whether it closes connections instead of responding, except to health checks. */
  broken: boolean;
  /** Sends an event to all open streams. */
  emit: (data: string) => void;
  stop: () => Promise<void>;
};

/** Starts a server with the gateway's limits, and event streams at `/events` and `/trpc/events.subscribe`; other paths return the request's headers. */
export async function startGateway(): Promise<FakeGateway> {
  const streams = new Set<ServerResponse>();
  const [port = 0] = await freePorts(1);
  const gateway: FakeGateway = {
    port,
    requests: [],
    ready: true,
    broken: false,
    emit(data) {
      for (const stream of streams) stream.write(`data: ${data}\n\n`);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const respond = (request: IncomingMessage, response: ServerResponse, bytes: number) => {
    const { url = "", method, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ port, url, method, headers, bytes }));
  };
  const server = createServer({ maxHeaderSize: 256 * 1024, keepAliveTimeout: 75_000 }, (request, response) => {
    const { url = "", method } = request;
    if (url === "/ready") {
      response.statusCode = gateway.ready ? 200 : 503;
      response.end();
      return;
    }
    gateway.requests.push(`${method} ${url}`);
    if (url.startsWith("/events") || url.startsWith("/trpc/events.subscribe")) {
      response.writeHead(200, { "content-type": "text/event-stream; charset=UTF-8", "cache-control": "no-cache" });
      response.flushHeaders();
      streams.add(response);
      response.once("close", () => streams.delete(response));
      return;
    }
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      if (gateway.broken) request.socket.destroy();
      else respond(request, response, bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return gateway;
}
