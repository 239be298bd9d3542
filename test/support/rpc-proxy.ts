import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type Hex, hexToNumber, numberToHex } from "viem";

type Call = { method: string; params: unknown[] };

/**
 * How the proxy handles a call: pass it on, return an error, close the connection, never respond, return 429 or 500, respond
 * late (after later calls), respond with half of the JSON, or pass it to a node that is two blocks behind, as behind a load
 * balancer.
 */
export type Fate = "pass" | "refuse" | "cut" | "wait" | "limit" | "fail" | "late" | "truncate" | "behind";

const LATE_MS = 400;

export type RpcProxy = {
  url: string;
  /** The calls since the last reset. */
  calls: Call[];
  /** The trace contexts of the calls that have one. */
  traceParents: string[];
  /** The ids of the clients' requests, of the calls that have one. */
  requestIds: string[];
  /** The additional latency of every call, in milliseconds. */
  latencyMs: number;
  /** The maximum number of concurrent calls since the last reset, and of those for the newest block. */
  maxInFlight: number;
  maxHeadsInFlight: number;
  /** Sets the handling of later calls. */
  decide: (fate: (call: Call) => Fate) => void;
  /** Switches to another node. */
  retarget: (target: string) => void;
  close: () => Promise<void>;
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const status: Partial<Record<Fate, number>> = { limit: 429, fail: 500 };

/**
 * Starts a proxy of an RPC node that records calls and can inject faults. HTTP only, unless `webSocket` is set. Of a batch
 * the first call decides, and only that one is recorded.
 */
export async function startRpcProxy(firstTarget: string, { webSocket = false } = {}): Promise<RpcProxy> {
  let target = firstTarget;
  let fateOf: (call: Call) => Fate = () => "pass";
  let inFlight = 0;
  let headsInFlight = 0;
  const ask = async (body: string) =>
    (await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })).text();
  const behind = async ([, ...rest]: unknown[]) => {
    const height = { jsonrpc: "2.0", id: 0, method: "eth_blockNumber", params: [] };
    const head = JSON.parse(await ask(JSON.stringify(height))) as { result: Hex };
    return [numberToHex(hexToNumber(head.result) - 2), ...rest];
  };
  const count = ({ method, params }: Call, response: NodeJS.EventEmitter) => {
    const isHead = method === "eth_blockNumber" || (method === "eth_getBlockByNumber" && params[0] === "latest");
    const heads = isHead ? 1 : 0;
    proxy.maxInFlight = Math.max(proxy.maxInFlight, ++inFlight);
    headsInFlight += heads;
    proxy.maxHeadsInFlight = Math.max(proxy.maxHeadsInFlight, headsInFlight);
    response.once("close", () => {
      inFlight--;
      headsInFlight -= heads;
    });
  };
  const server = createServer(async (request, response) => {
    // A WebSocket handshake, while WebSocket is disabled.
    if (request.method !== "POST") return response.writeHead(405).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const sent = JSON.parse(text);
    const { id, method, params = [] } = Array.isArray(sent) ? sent[0] : sent;
    proxy.calls.push({ method, params });
    if (request.headers.traceparent) proxy.traceParents.push(String(request.headers.traceparent));
    if (request.headers["x-request-id"]) proxy.requestIds.push(String(request.headers["x-request-id"]));
    count({ method, params }, response);
    const fate = fateOf({ method, params });
    if (fate === "cut") return request.socket.destroy();
    if (fate === "wait") return;
    if (proxy.latencyMs) await sleep(proxy.latencyMs);
    response.setHeader("content-type", "application/json");
    if (status[fate]) return response.writeHead(status[fate]).end("{}");
    if (fate === "refuse")
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32005, message: "too much asked" } }));
    try {
      const answer = await ask(
        fate === "behind" ? JSON.stringify({ jsonrpc: "2.0", id, method, params: await behind(params) }) : text,
      );
      if (fate === "late") await sleep(LATE_MS);
      response.end(fate === "truncate" ? answer.slice(0, answer.length / 2) : answer);
    } catch {
      // The node has ended or closed the connection, so the proxy's client sees the same.
      request.socket.destroy();
    }
  });
  if (webSocket)
    server.on("upgrade", (request, socket: Socket) => {
      if (fateOf({ method: "eth_subscribe", params: ["newHeads"] }) === "pass") tunnel(request, socket, target);
      else socket.destroy();
    });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    traceParents: [],
    requestIds: [],
    latencyMs: 0,
    maxInFlight: 0,
    maxHeadsInFlight: 0,
    decide(fate) {
      fateOf = fate;
    },
    retarget(other) {
      target = other;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

/** Tunnels a WebSocket connection to the node. */
function tunnel({ rawHeaders, url }: IncomingMessage, client: Socket, target: string): void {
  const { hostname, port } = new URL(target);
  const node = connect(Number(port), hostname);
  const lines = rawHeaders.flatMap((name, index) => (index % 2 ? [] : [`${name}: ${rawHeaders[index + 1]}`]));
  node.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  client.pipe(node).pipe(client);
  for (const socket of [client, node]) socket.on("error", () => client.destroy());
}
