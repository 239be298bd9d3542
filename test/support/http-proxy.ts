import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";

/** A load balancer in front of several gateways. */
export type HttpProxy = {
  url: string;
  /** Adds a gateway by its port. */
  add: (port: number) => void;
  /** Sends no new requests to a gateway. */
  remove: (port: number) => void;
  close: () => Promise<void>;
};

/** How often `/ready` of a gateway is requested. One that can't be reached gets no requests. */
const CHECK_MS = 200;

/**
 * Starts a small load balancer: round robin over the gateways that can be reached, and one more attempt elsewhere for a GET
 * that gets no response. It streams in both directions.
 */
export function startHttpProxy(): Promise<HttpProxy> {
  const agent = new Agent({ keepAlive: true });
  const gateways = new Map<number, { isUp: boolean }>();
  let turn = 0;
  const next = (not?: number): number | undefined => {
    const up = [...gateways].filter(([port, { isUp }]) => isUp && port !== not).map(([port]) => port);
    return up[turn++ % Math.max(1, up.length)];
  };
  const fail = (response: ServerResponse) => {
    if (response.headersSent) return response.destroy();
    response.writeHead(502, { "content-type": "application/json" });
    return response.end('{"error":"No gateway answers"}');
  };
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, port: number | undefined, isLast: boolean) => {
    if (port === undefined) return fail(outgoing);
    const { method, url, headers } = incoming;
    const upstream = request({ agent, host: "127.0.0.1", port, method, path: url, headers });
    upstream.once("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, outgoing, () => {});
    });
    upstream.on("error", () => {
      const gateway = gateways.get(port);
      if (gateway) gateway.isUp = false;
      if (!isLast && !outgoing.headersSent && method === "GET") return forward(incoming, outgoing, next(port), true);
      return fail(outgoing);
    });
    outgoing.once("close", () => upstream.destroy());
    if (isLast) upstream.end();
    else incoming.pipe(upstream);
  };
  const check = (port: number, state: { isUp: boolean }) => {
    const probe = request({ host: "127.0.0.1", port, path: "/health", timeout: 1_000 }, (response) => {
      response.resume();
      state.isUp = response.statusCode === 200;
    });
    probe.on("timeout", () => probe.destroy());
    probe.on("error", () => {
      state.isUp = false;
    });
    probe.end();
  };
  const timer = setInterval(() => {
    for (const [port, state] of gateways) check(port, state);
  }, CHECK_MS);
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, next(), false));
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        url: `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`,
        add: (port) => void gateways.set(port, { isUp: true }),
        remove: (port) => void gateways.delete(port),
        close: () =>
          new Promise((closed) => {
            clearInterval(timer);
            server.close(() => closed());
            server.closeAllConnections();
            agent.destroy();
          }),
      });
    }),
  );
}
