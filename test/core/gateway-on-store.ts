import { pino } from "pino";
import type { Config } from "../../api/core/context";
import { createGateway } from "../../api/gateway";
import { createLazyStore } from "../../api/offchain/lazy";
import { openStore } from "../../api/offchain/open";
import type { Context } from "../../api/operations/context";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { createTestDatabase } from "../support/database";
import { withoutIndex } from "../support/without-index";

const config: Config = {
  ...parseEnvironment({ NODE_ENV: "test" }),
  openMetadata: false,
  devHelpers: false,
  chainId: baseSepolia.chainId,
  contracts: baseSepolia.contracts,
  writesPerMinute: undefined,
  storedBytesPerDay: undefined,
  cursorSecret: async () => "a secret for tests",
  listed: new Map(),
};

/** Gateways on one real store, without limits unless the test sets them. They don't use the index or the chain. */
export async function openGatewayOnStore(name: string) {
  const database = await createTestDatabase(name);
  const options = { databaseUrl: database.url, onIdleError: () => {} };
  const store = createLazyStore(() => openStore(options));
  const serve = (change: Partial<Config> = {}, context: Partial<Context> = {}) =>
    createGateway(
      { ...withoutIndex, store: store.db, config: { ...config, ...change }, ...context },
      pino({ level: "silent" }),
    );
  return {
    options,
    store: store.db,
    serve,
    async close() {
      await store.close();
      await database.drop();
    },
  };
}

export type Gateway = ReturnType<Awaited<ReturnType<typeof openGatewayOnStore>>["serve"]>;

export const post = (gateway: Gateway, path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Calls a tool over MCP. Returns the text of the result and whether it is an error. */
export async function callTool(gateway: Gateway, name: string, input: object, headers: Record<string, string> = {}) {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
  const response = await post(gateway, "/mcp", body, { accept: "application/json, text/event-stream", ...headers });
  const { result } = (await response.json()) as { result: { content: { text: string }[]; isError?: boolean } };
  return { text: result.content[0]?.text, isError: result.isError === true };
}
