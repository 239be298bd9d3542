import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { numberToHex } from "viem";
import { type WebSocket, WebSocketServer } from "ws";

export type FakeBlock = { number: `0x${string}`; hash: string; timestamp: `0x${string}`; transactions: unknown[] };
export type FakeCall = { id: number; method: string; params: unknown[] };

/** A block whose hash is its branch and number. */
export const block = (number: number, branch = "a"): FakeBlock => ({
  number: numberToHex(number),
  hash: `${branch}${number}`,
  timestamp: numberToHex(1_000 + number),
  transactions: [],
});

/** Responds instead of the node. Returns false to let the node respond. */
type Interception = (call: FakeCall, response: ServerResponse) => boolean | Promise<boolean>;

/** An in-process RPC node over HTTP and optionally WebSocket. The test adds its blocks. */
export async function startFakeNode({ webSocket = false, port = 0 } = {}) {
  const blocks = new Map<string, FakeBlock>();
  const sockets = new Set<WebSocket>();
  let connections = 0;
  const node = {
    url: "",
    /** All HTTP requests, as "method parameter". */
    calls: [] as string[],
    inFlight: 0,
    maxInFlight: 0,
    /** The node's newest block. */
    latest: block(1) as unknown,
    intercept: (() => false) as Interception,
    /** The number of subscribed sockets. */
    subscribers: () => sockets.size,
    /** The number of WebSocket connections so far. */
    connections: () => connections,
    /** Adds a block, by number and by hash. */
    has(one: FakeBlock): FakeBlock {
      blocks.set(one.number, one).set(one.hash, one);
      return one;
    },
    /** Adds a block as the newest one, without notifying the subscribers. */
    mine(one: FakeBlock): FakeBlock {
      node.latest = node.has(one);
      return one;
    },
    /** Notifies the subscribers of a block. */
    announce(one: FakeBlock): void {
      const params = { subscription: "0x1", result: one };
      for (const socket of sockets) socket.send(JSON.stringify({ method: "eth_subscription", params }));
    },
    /** Removes all blocks except the newest. */
    forget: () => blocks.clear(),
    dropSockets: () => {
      for (const socket of sockets) socket.terminate();
    },
    close: () =>
      new Promise<void>((closed) => {
        node.dropSockets();
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  const resultOf = ({ method, params: [first] }: FakeCall): unknown => {
    if (method === "eth_chainId") return "0x7a69";
    if (method === "eth_blockNumber") return (node.latest as FakeBlock).number;
    if (first === "latest") return node.latest;
    return blocks.get(String(first)) ?? null;
  };
  const server = createServer(async (request, response) => {
    // A WebSocket handshake, while WebSocket is disabled.
    if (request.method !== "POST") return response.writeHead(405).end();
    node.maxInFlight = Math.max(node.maxInFlight, ++node.inFlight);
    response.once("close", () => {
      node.inFlight--;
    });
    let text = "";
    for await (const chunk of request) text += chunk;
    const call: FakeCall = { params: [], ...JSON.parse(text) };
    node.calls.push(`${call.method} ${call.params[0] ?? ""}`.trim());
    if (await node.intercept(call, response)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: resultOf(call) }));
  });
  if (webSocket)
    new WebSocketServer({ server }).on("connection", (socket) => {
      connections++;
      socket.on("message", () => {
        sockets.add(socket);
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" }));
      });
      socket.on("close", () => sockets.delete(socket));
    });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

export type FakeNode = Awaited<ReturnType<typeof startFakeNode>>;
