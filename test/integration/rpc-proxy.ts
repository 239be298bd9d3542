import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { method: string; params: unknown[] };

/** What happens to a call: it reaches the node, is refused by it, is cut off, or waits for ever. */
type Fate = "pass" | "refuse" | "cut" | "wait";

export type RpcProxy = {
  url: string;
  /** The calls since this was last emptied. */
  calls: Call[];
  /** Decides about every call from now on. */
  decide: (fate: (call: Call) => Fate) => void;
  close: () => Promise<void>;
};

/** Stands between a client and a node, notes what is asked, and can be the kind of node that fails. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let fateOf: (call: Call) => Fate = () => "pass";
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    calls.push({ method, params });
    const fate = fateOf({ method, params });
    if (fate === "cut") return request.socket.destroy();
    if (fate === "wait") return;
    response.setHeader("content-type", "application/json");
    if (fate === "refuse")
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32005, message: "too much asked" } }));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body: text });
    response.end(await answer.text());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    decide(fate) {
      fateOf = fate;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
