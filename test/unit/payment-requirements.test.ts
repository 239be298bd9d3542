import { pino } from "pino";
import { keccak256, stringToBytes } from "viem";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import { normalizePaymentRequirement } from "../../api/operations/payment-requirements";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { withoutIndex } from "../without-index";

const gateway = createGateway(
  {
    ...withoutIndex,
    store: () => Promise.reject(new Error("Unexpected access to the store")),
    config: { ...parseEnvironment({ NODE_ENV: "test" }), ...baseSepolia, cursorSecret: async () => "" },
  },
  pino({ level: "silent" }),
);

async function normalize(body: object) {
  const response = await gateway.request("/x402/normalize", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const { payment_requirement_json } = normalizePaymentRequirement.example;

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
    const text = JSON.stringify(payment_requirement_json);
    expect(await normalize({ payment_requirement_json: text })).toEqual({ status, body });
  });

  it("compares the hash with the expected one (409) and with the quote's", async () => {
    const { x402_payload_hash } = (await normalize({ payment_requirement_json })).body;
    const other = `0x${"00".repeat(32)}`;
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
    expect(await compared(other, null)).toEqual({
      status: 409,
      body: {
        error: `expected_hash: is ${other}, but the requirement's hash is ${x402_payload_hash}`,
        code: "conflict",
      },
    });
  });

  it.each<[object, string]>([
    [{}, "payment_requirement_json: is required"],
    [{ payment_requirement_json: "{" }, "payment_requirement_json: is not valid JSON"],
    [{ payment_requirement_json: "[]" }, "payment_requirement_json: must be a JSON object, or its text"],
    [{ payment_requirement_json: {} }, "scheme: is required"],
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
