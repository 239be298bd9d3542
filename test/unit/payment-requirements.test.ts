import { pino } from "pino";
import { keccak256, stringToBytes } from "viem";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import { normalizePaymentRequirement } from "../../api/operations/payment-requirements";
import { createIntentryClient } from "../../client/src/index";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { withoutIndex } from "../support/without-index";

const gateway = createGateway(
  {
    ...withoutIndex,
    store: () => Promise.reject(new Error("Unexpected access to the store")),
    config: {
      ...parseEnvironment({ NODE_ENV: "test" }),
      ...baseSepolia,
      cursorSecret: async () => "",
      listed: new Map(),
    },
  },
  pino({ level: "silent" }),
);

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await gateway.request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const normalize = (body: object) => post("/x402/normalize", body);

const other = `0x${"00".repeat(32)}`;

const payment_requirement_json: Record<string, unknown> = {
  ...Object(normalizePaymentRequirement.example.payment_requirement_json),
};

describe("POST /x402/normalize", () => {
  it("returns the canonical form and its hash, for an object and for its text", async () => {
    const { status, body } = await normalize({ payment_requirement_json });
    expect(status).toBe(200);
    expect(body).toEqual({
      normalized: JSON.parse(String(body.canonical_json)),
      canonical_json: expect.stringMatching(/^\{"amount":"10000","asset":"0x833589fc/),
      x402_payload_hash: keccak256(stringToBytes(String(body.canonical_json))),
      matches_expected_hash: null,
      matches_quote_hash: null,
      warnings: [],
    });
    expect(body.normalized).toMatchObject({ schema: "cortex.x402-payment-requirement.v1" });
    const text = JSON.stringify(payment_requirement_json);
    expect(await normalize({ payment_requirement_json: text })).toEqual({ status, body });
  });

  it("compares the hash with the expected one (409) and with the quote's", async () => {
    const { x402_payload_hash } = (await normalize({ payment_requirement_json })).body;
    const compared = (expected_hash: unknown, quoted: unknown) =>
      normalize({ payment_requirement_json, expected_hash, quote: { x402_payload_hash: quoted } });
    expect((await compared(x402_payload_hash, x402_payload_hash)).body).toMatchObject({
      matches_expected_hash: true,
      matches_quote_hash: true,
    });
    expect((await compared(null, other)).body).toMatchObject({
      matches_expected_hash: null,
      matches_quote_hash: false,
    });
    expect((await compared(null, null)).body).toMatchObject({ matches_quote_hash: null });
    expect((await compared(null, "")).body).toMatchObject({ matches_quote_hash: null });
  });

  it("returns the hash, the canonical form and the warnings with a 409", async () => {
    const { normalized, canonical_json, x402_payload_hash, warnings } = (await normalize({ payment_requirement_json }))
      .body;
    expect(await normalize({ payment_requirement_json, expected_hash: other })).toEqual({
      status: 409,
      body: {
        error: `expected_hash: is ${other}, but the requirement's hash is ${x402_payload_hash}`,
        code: "conflict",
        ...{ normalized, canonical_json, x402_payload_hash, warnings },
      },
    });
  });

  it("returns these fields in tRPC and MCP, too", async () => {
    const hashed = (await normalize({ payment_requirement_json })).body;
    const { matches_expected_hash: _, matches_quote_hash: __, ...details } = hashed;
    const input = { payment_requirement_json, expected_hash: other };
    const trpc = await post("/trpc/payments.normalize", input);
    expect([trpc.status, trpc.body]).toMatchObject([409, { error: { data: { errorCode: "conflict", details } } }]);
    const client = createIntentryClient({
      url: "http://gateway",
      fetch: async (url, init) => gateway.request(String(url), init),
    });
    await expect(client.payments.normalize.query(input)).rejects.toMatchObject({ code: "conflict", details });
    const { body } = await post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "payments_normalize", arguments: input } },
      { accept: "application/json, text/event-stream" },
    );
    const { content, isError } = body.result as { content: { text: string }[]; isError: boolean };
    expect([isError, content[0]?.text, JSON.parse(content[1]?.text ?? "")]).toEqual([
      true,
      `expected_hash: is ${other}, but the requirement's hash is ${hashed.x402_payload_hash}`,
      details,
    ]);
  });

  it.each<[object, string]>([
    [{}, "payment_requirement_json: is required"],
    [{ payment_requirement_json: "{" }, "payment_requirement_json: is not valid JSON"],
    [{ payment_requirement_json: "[]" }, "payment_requirement_json: must be a JSON object, or its text"],
    [
      { payment_requirement_json: JSON.parse(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`) },
      "payment_requirement_json: must not be nested deeper than 64 levels",
    ],
    [
      { payment_requirement_json: {} },
      "payment_requirement_json is missing scheme, asset, amount, pay_to, network_or_chain_id",
    ],
    [{ payment_requirement_json, expected_hash: "0x1" }, "expected_hash: must be a hash"],
    [{ payment_requirement_json, quote: { x402_payload_hash: "1" } }, "quote.x402_payload_hash: must be a hash"],
    [{ payment_requirement_json, quote: "0x1" }, "quote: must be a JSON object"],
    [{ payment_requirement_json: `${"[".repeat(1e5)}${"]".repeat(1e5)}` }, "payment_requirement_json: must be"],
  ])("rejects %j", async (body, problem) => {
    expect(await normalize(body)).toEqual({
      status: 400,
      body: { error: expect.stringContaining(problem), code: "invalid_input" },
    });
  });
});
