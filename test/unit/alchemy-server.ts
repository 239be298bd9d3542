import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Asked = {
  path: string;
  /** The body of a request for tokens, or the parameters of a JSON-RPC call. */
  body: {
    addresses?: { address: string; networks: string[] }[];
    pageKey?: string;
    fromAddress?: string;
    toAddress?: string;
    [key: string]: unknown;
  };
};
/** The server's response. A string body is sent unchanged, any other body as JSON. "never": no response. */
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown } | "never";
type Handler = (asked: Asked) => Answer;

export type AlchemyServer = {
  endpoints: { data: string; rpc: (network: string) => string };
  /** Replaces the handlers of token and transfer requests. */
  answer: (handlers: { tokens?: Handler; transfers?: Handler }) => void;
  /** The requests since the handlers were last replaced. */
  asked: { tokens: Asked[]; transfers: Asked[] };
  /** The ids of the requests that have one. */
  requestIds: string[];
  close: () => Promise<void>;
};

/** One token in the format of Alchemy's response. */
export const row = (network: string, tokenAddress: string | null, balance: bigint, part: object = {}) => ({
  address: "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
  network,
  tokenAddress,
  tokenBalance: `0x${balance.toString(16).padStart(64, "0")}`,
  tokenMetadata: { decimals: null, logo: null, name: null, symbol: null },
  tokenPrices: [],
  error: null,
  ...part,
});

/** The prices of a row, updated now by default. */
export const prices = (value: string, lastUpdatedAt = new Date().toISOString()) => ({
  tokenPrices: [{ currency: "usd", value, lastUpdatedAt }],
});

export const tokensReply = (tokens: unknown[], pageKey?: string) => ({ body: { data: { tokens, pageKey } } });

export const transfersReply = (transfers: unknown[]) => ({ body: { jsonrpc: "2.0", id: 1, result: { transfers } } });

/** A fake Alchemy server. The nodes of the networks are at paths of it. */
export async function startAlchemyServer(): Promise<AlchemyServer> {
  const nothing = { tokens: () => tokensReply([]), transfers: () => transfersReply([]) };
  let handlers: Record<"tokens" | "transfers", Handler> = nothing;
  const asked: AlchemyServer["asked"] = { tokens: [], transfers: [] };
  const requestIds: string[] = [];

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = request.url ?? "";
    const kind = path.startsWith("/data/") ? "tokens" : "transfers";
    const sent = JSON.parse(text);
    const given: Asked = { path, body: kind === "tokens" ? sent : sent.params[0] };
    asked[kind].push(given);
    const { "x-request-id": id } = request.headers;
    if (id) requestIds.push(String(id));
    const answer = handlers[kind](given);
    if (answer === "never") return;
    const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers }).end(body);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoints: { data: origin, rpc: (network) => `${origin}/${network}` },
    asked,
    requestIds,
    answer(some) {
      handlers = { ...nothing, ...some };
      asked.tokens = [];
      asked.transfers = [];
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
