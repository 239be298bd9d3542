import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, normalizeRequirement } from "../../api/payments/normalize-requirement";

const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const resource = "https://Example.com/Weather";

const expected = {
  schema: "cortex.x402-payment-requirement.v1",
  scheme: "exact",
  network: "eip155:8453",
  pay_to: payTo.toLowerCase(),
  asset: asset.toLowerCase(),
  amount: "10000",
  resource,
};

const v2 = { scheme: "exact", network: "eip155:8453", amount: "10000", payTo, asset };

describe("normalizeRequirement", () => {
  it.each<[string, Record<string, unknown>]>([
    ["version 1", { scheme: "exact", network: "eip155:8453", maxAmountRequired: "10000", payTo, asset, resource }],
    ["version 2", { ...v2, resource }],
    ["version 2 with accepts", { x402Version: 2, resource: { url: resource, mimeType: "text/html" }, accepts: [v2] }],
    [
      "snake_case",
      { scheme: "EXACT", network: "EIP155:8453", max_amount_required: 10_000, pay_to: payTo, asset, resource },
    ],
    ["the same value twice", { ...v2, resource, maxAmountRequired: "10000", pay_to: payTo.toLowerCase() }],
    ["nulls", { ...v2, resource, nonce: null, facilitatorUrl: null, accepts: null }],
    ["nulls in accepts", { resource, accepts: [{ ...v2, resource: null }] }],
  ])("reads %s", (_, sent) => {
    expect(normalizeRequirement(sent)).toEqual({ normalized: expected, warnings: [] });
  });

  it("keeps every field of the canonical form, in lower case but for method and resource", () => {
    const { normalized } = normalizeRequirement({
      ...v2,
      resource,
      chainId: 8453,
      method: "GET",
      facilitatorUrl: "https://X402.org/Facilitator",
      facilitator_address: payTo,
      expiresAt: 1_700_000_000,
      nonce: "0xAB",
    });
    expect(normalized).toEqual({
      ...expected,
      chain_id: "8453",
      method: "GET",
      facilitator_url: "https://x402.org/facilitator",
      facilitator_address: payTo.toLowerCase(),
      expires_at: "1700000000",
      nonce: "0xab",
    });
    expect(canonicalJson(normalized)).toBe(
      `{"amount":"10000","asset":"${asset.toLowerCase()}","chain_id":"8453","expires_at":"1700000000",` +
        `"facilitator_address":"${payTo.toLowerCase()}","facilitator_url":"https://x402.org/facilitator","method":"GET",` +
        `"network":"eip155:8453","nonce":"0xab","pay_to":"${payTo.toLowerCase()}","resource":"${resource}",` +
        `"schema":"cortex.x402-payment-requirement.v1","scheme":"exact"}`,
    );
  });

  it("warns about what the hash does not commit to", () => {
    const { warnings } = normalizeRequirement({ accepts: [v2, v2] });
    expect(warnings).toEqual([
      "accepts has 2 entries; the first one is used",
      "resource is missing: the hash does not commit to what is paid for",
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      "nothing",
      {},
      "scheme: is required; asset: is required; amount: is required; pay_to: is required; network: is required, or chain_id",
    ],
    ["neither network nor chain_id", { ...v2, network: undefined }, "network: is required, or chain_id"],
    ["two amounts", { ...v2, maxAmountRequired: "9" }, "amount and maxAmountRequired: must have the same value"],
    ["a fraction", { ...v2, amount: "0.01" }, "amount: must be a whole number"],
    [
      "an inexact number",
      { ...v2, amount: 2 ** 60 },
      "amount: is a number that JSON can't represent exactly; send it as a string",
    ],
    ["an object", { ...v2, asset: {} }, "asset: must be a text of 1 to 2048 characters"],
    ["an empty accepts", { accepts: [] }, "payment_requirement_json: accepts must have a first entry, an object"],
    [
      "an accepts of another type",
      { accepts: "exact" },
      "payment_requirement_json: accepts must have a first entry, an object",
    ],
  ])("rejects %s", (_, sent, problem) => {
    expect(() => normalizeRequirement(sent)).toThrow(problem);
  });

  it("is idempotent, and independent of the order of keys", () => {
    const text = fc.string({ minLength: 1, maxLength: 30 });
    const any = fc.record(
      {
        scheme: text,
        network: text,
        asset: text,
        payTo: text,
        amount: fc
          .bigInt({ min: 0n })
          .map(String)
          .filter((digits) => digits.length <= 78),
        resource: text,
        nonce: text,
      },
      { requiredKeys: ["scheme", "network", "asset", "payTo", "amount"] },
    );
    fc.assert(
      fc.property(any, (sent) => {
        const json = canonicalJson(normalizeRequirement(sent).normalized);
        const reversed = Object.fromEntries(Object.entries(sent).reverse());
        expect(canonicalJson(normalizeRequirement(reversed).normalized)).toBe(json);
        expect(canonicalJson(normalizeRequirement(JSON.parse(json)).normalized)).toBe(json);
      }),
    );
  });
});
