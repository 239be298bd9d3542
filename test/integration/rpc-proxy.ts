import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Hex, hexToNumber, numberToHex } from "viem";

type Call = { method: string; params: unknown[] };

/**
 * What happens to a call: it reaches the node, is refused by it, is cut off, or waits for ever. Or its answer comes late, after
 * those to later calls; or it reaches a node that is two blocks behind, as one behind a balancer may be.
 */
type Fate = "pass" | "refuse" | "cut" | "wait" | "late" | "behind";

const LATE_MS = 400;

export type RpcProxy = {
  url: string;
  /** The calls since this was last emptied. */
  calls: Call[];
  /** Decides about every call from now on. */
  decide: (fate: (call: Call) => Fate) => void;
  /** Stands in front of another node from now on. */
  retarget: (target: string) => void;
  close: () => Promise<void>;
};

/** Stands between a client and a node, notes what is asked, and can be the kind of node that fails. */
export async function startRpcProxy(firstTarget: string): Promise<RpcProxy> {
  let target = firstTarget;
  let fateOf: (call: Call) => Fate = () => "pass";
  const calls: Call[] = [];
  const ask = async (call: Call & { id: number }) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", ...call });
    return (await fetch(target, { method: "POST", headers, body })).text();
  };
  const behind = async ([, ...rest]: unknown[]) => {
    const head = JSON.parse(await ask({ id: 0, method: "eth_blockNumber", params: [] })) as { result: Hex };
    return [numberToHex(hexToNumber(head.result) - 2), ...rest];
  };
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
    const answer = await ask(fate === "behind" ? { id, method, params: await behind(params) } : { id, method, params });
    if (fate === "late") await new Promise((later) => setTimeout(later, LATE_MS));
    response.end(answer);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
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
}
