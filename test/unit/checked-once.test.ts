import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createGateway } from "../../api/gateway";
import { calls } from "../../api/operations/index";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { withoutIndex } from "../support/without-index";

const wallet = `0x${"ab".repeat(20)}`;
const json = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** An empty list of tokens that counts how often a permission is looked up in it. */
function countingTokens() {
  let checks = 0;
  const tokens = new Proxy<string[]>([], {
    get(target, name) {
      if (name === "length") checks++;
      return Reflect.get(target, name);
    },
  });
  return { tokens, checks: () => checks };
}

describe("a request", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each<[string, string, RequestInit, { permission?: number }]>([
    ["GET /agents/{agentId}", "/agents/1", {}, {}],
    ["POST /x402/normalize", "/x402/normalize", json({ payment_requirement_json: {} }), {}],
    [
      "POST /attestations/schemas",
      "/attestations/schemas",
      json({ name: "price_feed", json_schema: { type: "object" } }),
      { permission: 1 },
    ],
    ["GET /portfolio", `/portfolio?address=${wallet}&chains=local`, {}, {}],
  ])("%s has its input and its permission checked once", async (route, path, request, { permission = 0 }) => {
    const { operation } = calls.find((call) => call.operation.route === route) ?? {};
    if (!operation) throw new Error(`No operation ${route}`);
    const parse = vi.spyOn(operation.input, "safeParse");
    const { tokens, checks } = countingTokens();
    const environment = parseEnvironment({ NODE_ENV: "test", X402_DEV_BYPASS: "true" });
    const gateway = createGateway(
      {
        ...withoutIndex,
        portfolio: { chains: ["local"], snapshot: () => Promise.reject(new Error("not read")) },
        payments: undefined,
        store: () => Promise.reject(new Error("not read")),
        config: {
          ...environment,
          ...baseSepolia,
          writeTokens: tokens,
          cursorSecret: async () => "a secret for tests",
          listed: new Map(),
        },
      },
      pino({ level: "silent" }),
    );
    await gateway.request(path, request);
    expect([parse.mock.calls.length, checks()]).toEqual([1, permission]);
  });
});
