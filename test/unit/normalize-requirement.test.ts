import fc from "fast-check";
import { keccak256, stringToBytes } from "viem";
import { describe, expect, it } from "vitest";
import { BadInput } from "../../api/core/errors";
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

/** The table of the specification: the names of each field in order, and the form of " aB ". */
const table: [field: string, names: string[], form: string][] = [
  ["scheme", ["scheme", "kind", "authorization_scheme"], "ab"],
  ["network", ["network", "chain"], "ab"],
  ["chain_id", ["chain_id", "chainId"], "aB"],
  ["resource", ["resource", "resource_url", "url"], "aB"],
  ["method", ["method"], "AB"],
  ["pay_to", ["pay_to", "payTo", "recipient", "receiver"], "ab"],
  ["asset", ["asset", "token"], "ab"],
  ["amount", ["amount", "maxAmountRequired", "max_amount_required", "value"], "aB"],
  ["facilitator_url", ["facilitator.url", "facilitator_url"], "aB"],
  ["facilitator_address", ["facilitator.address", "facilitator_address"], "ab"],
  ["expires_at", ["expires_at", "expiresAt", "expiration"], "aB"],
  ["nonce", ["nonce"], "aB"],
];

/** A complete requirement without one field, with other values in its place. */
const withNames = (field: string, values: Record<string, unknown>) => {
  const base: Record<string, unknown> = {
    scheme: "s",
    network: "n",
    chain_id: 1,
    pay_to: "p",
    asset: "a",
    amount: "1",
  };
  delete base[field];
  const facilitator: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values))
    if (name.startsWith("facilitator.")) facilitator[name.slice("facilitator.".length)] = value;
    else base[name] = value;
  return { ...base, ...(Object.keys(facilitator).length > 0 && { facilitator }) };
};

const normalizedField = (field: string, values: Record<string, unknown>) =>
  ({ ...normalizeRequirement(withNames(field, values)).normalized })[field as "scheme"];

const hashOf = (sent: Record<string, unknown>) =>
  keccak256(stringToBytes(canonicalJson(normalizeRequirement(sent).normalized)));

describe("normalizeRequirement", () => {
  it.each(table)("reads %s from the first non-empty of %j, trimmed, as %s", (field, names, form) => {
    for (const [at, name] of names.entries()) {
      expect(normalizedField(field, { [name]: " aB\n" })).toBe(form);
      for (const empty of [null, "", "  "]) {
        const before = Object.fromEntries(names.slice(0, at).map((earlier) => [earlier, empty]));
        const after = Object.fromEntries(names.slice(at + 1).map((later) => [later, "other"]));
        expect(normalizedField(field, { ...after, [name]: "aB", ...before })).toBe(form);
      }
    }
  });

  it.each(table.filter(([field]) => field !== "chain_id"))("converts a number of %s to text", (field, names) => {
    for (const name of names) expect(normalizedField(field, { [name]: 10_000 })).toBe("10000");
  });

  it("keeps a chain_id that is a number, and one that is text", () => {
    for (const name of ["chain_id", "chainId"]) {
      expect(normalizedField("chain_id", { [name]: 8453 })).toBe(8453);
      expect(normalizedField("chain_id", { [name]: " 8453 " })).toBe("8453");
      expect(normalizedField("chain_id", { [name]: 0 })).toBe(0);
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ["version 1", { scheme: "exact", network: "eip155:8453", maxAmountRequired: "10000", payTo, asset, resource }],
    ["version 2", { ...v2, resource }],
    ["accepts", { x402Version: 1, accepts: [{ ...v2, resource }] }],
    [
      "snake_case",
      { scheme: "EXACT", network: "EIP155:8453", max_amount_required: 10_000, pay_to: payTo, asset, resource },
    ],
    ["the same value twice", { ...v2, resource, maxAmountRequired: 10_000, pay_to: payTo.toLowerCase() }],
    ["nulls", { ...v2, resource, nonce: null, facilitator: null, accepts: null }],
    ["empty texts", { ...v2, resource, nonce: "", facilitator: "", accepts: "" }],
  ])("reads %s", (_, sent) => {
    expect(normalizeRequirement(sent)).toEqual({ normalized: expected, warnings: [] });
  });

  it("has sorted keys without spaces in its canonical JSON, whose hash is fixed", () => {
    const sent = {
      ...{ ...v2, resource, chainId: 8453, method: "get", expiresAt: 1_700_000_000, nonce: "0xAB" },
      facilitator: { url: "https://X402.org/Facilitator", address: payTo },
    };
    const { normalized } = normalizeRequirement(sent);
    expect(canonicalJson(normalized)).toBe(
      `{"amount":"10000","asset":"${asset.toLowerCase()}","chain_id":8453,"expires_at":"1700000000",` +
        `"facilitator_address":"${payTo.toLowerCase()}","facilitator_url":"https://X402.org/Facilitator","method":"GET",` +
        `"network":"eip155:8453","nonce":"0xAB","pay_to":"${payTo.toLowerCase()}","resource":"${resource}",` +
        `"schema":"cortex.x402-payment-requirement.v1","scheme":"exact"}`,
    );
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    [
      "several entries of accepts",
      { accepts: [{ ...v2, resource }, v2] },
      ["accepts has 2 entries; the first one is used"],
    ],
    [
      "a resource beside accepts, which is not taken into the requirement",
      { x402Version: 2, resource: { url: resource }, accepts: [v2] },
      [
        "resource beside accepts is ignored: the hash commits to the first entry of accepts only",
        "resource is missing: the hash does not commit to what is paid for",
      ],
    ],
    ["no resource", v2, ["resource is missing: the hash does not commit to what is paid for"]],
    [
      "another value of a field",
      { ...v2, resource, maxAmountRequired: "9", token: { toString: "x" } },
      ["token differs from asset and is ignored", "maxAmountRequired differs from amount and is ignored"],
    ],
    [
      "a facilitator that is not an object",
      { ...v2, resource, facilitator: "https://x402.org" },
      ["facilitator is not an object and is ignored; use facilitator_url or facilitator_address"],
    ],
  ])("warns about %s", (_, sent, warnings) => {
    const result = normalizeRequirement(sent);
    expect(result.warnings).toEqual(warnings);
    expect(result.normalized).toMatchObject({ amount: "10000", asset: asset.toLowerCase() });
    if (warnings.some((warning) => warning.startsWith("resource is missing")))
      expect(result.normalized).not.toHaveProperty("resource");
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["nothing", {}, "payment_requirement_json is missing scheme, asset, amount, pay_to, network_or_chain_id"],
    [
      "neither network nor chain_id",
      { ...v2, network: " ", chainId: "" },
      "payment_requirement_json is missing network_or_chain_id",
    ],
    [
      "no amount in accepts",
      { ...v2, accepts: [{ ...v2, amount: null }] },
      "payment_requirement_json is missing amount",
    ],
    [
      "an inexact number",
      { ...v2, amount: 2 ** 60 },
      "amount: is a number that JSON can't represent exactly; send it as a string",
    ],
    [
      "an inexact chain id",
      { ...v2, chainId: 1e300 },
      "chainId: is a number that JSON can't represent exactly; send it as a string",
    ],
    ["an object", { ...v2, asset: {} }, "asset: must be a string or a number"],
    ["an array", { ...v2, scheme: ["exact"] }, "scheme: must be a string or a number"],
    ["a boolean", { ...v2, nonce: false }, "nonce: must be a string or a number"],
    [
      "a resource of version 2 in the requirement",
      { ...v2, resource: { url: resource } },
      "resource: must be a string",
    ],
    ["a long text", { ...v2, nonce: "1".repeat(2_049) }, "nonce: must have at most 2048 characters"],
    ["an empty accepts", { accepts: [] }, "payment_requirement_json: accepts must have a first entry, an object"],
    [
      "an accepts of another type",
      { accepts: "exact" },
      "payment_requirement_json: accepts must have a first entry, an object",
    ],
  ])("rejects %s", (_, sent, problem) => {
    expect(() => normalizeRequirement(sent)).toThrow(BadInput);
    expect(() => normalizeRequirement(sent)).toThrow(problem);
  });

  const text = fc.string({ minLength: 1, maxLength: 30 }).filter((value) => value.trim() !== "");
  const names = table.flatMap(([, all]) => all).filter((name) => !name.includes("."));
  const requirement = fc
    .record(
      {
        ...{ scheme: text, network: text, asset: text, payTo: text, amount: fc.oneof(text, fc.maxSafeNat()) },
        ...{ chainId: fc.oneof(text, fc.maxSafeNat()), resource: text, method: text, nonce: text, expiration: text },
        facilitator: fc.record({ url: text, address: text }, { requiredKeys: [] }),
      },
      { requiredKeys: ["scheme", "network", "asset", "payTo", "amount"] },
    )
    .map((record): Record<string, unknown> => ({ ...record }));

  it("is independent of key order, of whitespace around text, and of null and empty members", () => {
    const space = fc.stringMatching(/^[ \t\n\r\u00a0]{0,3}$/);
    const noise = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(null, "")), { maxLength: 8 });
    fc.assert(
      fc.property(
        requirement,
        noise,
        space,
        space,
        fc.infiniteStream(fc.nat()),
        (sent, empty, before, after, order) => {
          const padded = (value: unknown): unknown =>
            typeof value === "string"
              ? before + value + after
              : typeof value === "object" && value !== null
                ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, padded(inner)]))
                : value;
          const members = [
            ...Object.entries(sent),
            ...empty.filter(([name]) => !(name in sent)),
            ...[["accepts", null] as const, ["unknown", ""] as const],
          ].map(([name, value]) => ({ name, value: value === "" ? "" : padded(value), at: order.next().value }));
          members.sort((one, other) => one.at - other.at);
          const changed = Object.fromEntries(members.map(({ name, value }) => [name, value]));
          expect(hashOf(changed)).toBe(hashOf(sent));
        },
      ),
    );
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(requirement, (sent) => {
        const json = canonicalJson(normalizeRequirement(sent).normalized);
        expect(canonicalJson(normalizeRequirement(JSON.parse(json)).normalized)).toBe(json);
      }),
    );
  });

  it("returns a requirement or an error that names the problem for any JSON object", () => {
    const member = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text);
    const any = fc.dictionary(fc.constantFrom(...names, "facilitator", "accepts", "__proto__", "toString"), member);
    fc.assert(
      fc.property(any, (sent) => {
        try {
          expect(normalizeRequirement(JSON.parse(JSON.stringify(sent))).normalized.schema).toBe(expected.schema);
        } catch (error) {
          expect(error).toBeInstanceOf(BadInput);
        }
      }),
    );
  });
});

describe("the hash of a real input", () => {
  const lower = { payTo: payTo.toLowerCase(), asset: asset.toLowerCase() };
  const terms = { scheme: "exact", pay_to: lower.payTo, asset: lower.asset, amount: "10000" };

  /** keccak256 of the fields in the order of their names. It shares no code with the service. */
  const committedHash = (fields: Record<string, string | number>) => {
    const all: Record<string, string | number> = { schema: "cortex.x402-payment-requirement.v1", ...fields };
    const members = Object.keys(all)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${JSON.stringify(all[name])}`);
    return keccak256(stringToBytes(`{${members.join(",")}}`));
  };

  it.each<[string, Record<string, unknown>, Record<string, string | number>]>([
    [
      "a requirement of version 1, as x402-fetch receives it",
      {
        ...{ scheme: "exact", network: "base-sepolia", maxAmountRequired: "10000", resource, description: "Weather" },
        ...{ mimeType: "application/json", payTo, maxTimeoutSeconds: 60, asset, extra: { name: "USDC", version: "2" } },
      },
      { ...terms, network: "base-sepolia", resource },
    ],
    [
      "a requirement of version 2 in accepts, with its resource beside it",
      {
        ...{ x402Version: 2, error: "Payment required", resource: { url: resource, description: "Weather" } },
        accepts: [
          {
            ...{ scheme: "exact", network: "eip155:84532", amount: "10000", payTo, asset, maxTimeoutSeconds: 60 },
            extra: { name: "USDC", version: "2" },
          },
          { scheme: "upto", network: "eip155:8453", amount: "9", payTo: asset, asset: payTo },
        ],
      },
      { ...terms, network: "eip155:84532" },
    ],
    [
      "kind, chain, url, recipient, token and value",
      { kind: "Exact", chain: "Base", url: resource, recipient: payTo, token: asset, value: 10_000 },
      { ...terms, network: "base", resource },
    ],
    [
      "authorization_scheme, chainId, resource_url, receiver and max_amount_required",
      {
        ...{ authorization_scheme: "EXACT", chainId: 8453, resource_url: resource, receiver: payTo, asset },
        max_amount_required: "10000",
      },
      { ...terms, chain_id: 8453, resource },
    ],
    [
      "a chain id as text",
      { scheme: "exact", chain_id: " 8453 ", payTo, asset, amount: "10000" },
      { ...terms, chain_id: "8453" },
    ],
    [
      "a facilitator as an object, in mixed case",
      {
        ...{ scheme: "exact", network: "base", payTo, asset, amount: "10000" },
        facilitator: { url: " https://X402.org/Facilitator ", address: payTo, name: "X402" },
      },
      {
        ...{ ...terms, network: "base", facilitator_url: "https://X402.org/Facilitator" },
        facilitator_address: lower.payTo,
      },
    ],
    [
      "a facilitator object beside the plain names, of which the object's members count",
      {
        ...{ scheme: "exact", network: "base", payTo, asset, amount: "10000", facilitator_url: "https://other" },
        ...{ facilitator_address: payTo, facilitator: { url: "https://x402.org", address: "" } },
      },
      { ...terms, network: "base", facilitator_url: "https://x402.org", facilitator_address: lower.payTo },
    ],
    [
      "whitespace and mixed case everywhere",
      {
        ...{ scheme: " EXACT ", network: "\tBase\n", payTo: ` ${payTo}`, asset: `${asset} `, amount: " 10000 " },
        ...{ method: " post ", resource: ` ${resource} `, nonce: " 0xAbC " },
      },
      { ...terms, network: "base", method: "POST", resource, nonce: "0xAbC" },
    ],
    [
      "two names of each field, of which the first counts",
      {
        ...{ kind: "upto", scheme: "exact", chain: "polygon", network: "base", recipient: asset, payTo, token: payTo },
        ...{ asset, value: "1", maxAmountRequired: "2", amount: "10000", url: "https://other", resource },
        ...{ chainId: 137, chain_id: 8453, expiration: 1, expiresAt: 2, expires_at: 3 },
      },
      { ...terms, network: "base", chain_id: 8453, resource, expires_at: "3" },
    ],
    [
      "empty texts and nulls before the name that has the value",
      {
        ...{ scheme: "", kind: null, authorization_scheme: "exact", network: "", chain: "base", pay_to: null },
        ...{ payTo: "", recipient: "  ", receiver: payTo, asset: "", token: asset, amount: "", value: "10000" },
        ...{ resource: "", url: resource, nonce: "", method: null, facilitator: {}, expires_at: "" },
      },
      { ...terms, network: "base", resource },
    ],
    [
      "numbers, which become text except the chain id",
      { scheme: "exact", chainId: 84532, payTo, asset, amount: 10_000, nonce: 7, expiresAt: 1_800_000_000 },
      { ...terms, chain_id: 84532, nonce: "7", expires_at: "1800000000" },
    ],
    [
      "the amount 0, an empty facilitator and a resource with other characters than ASCII",
      {
        scheme: "exact",
        network: "base",
        payTo,
        asset,
        amount: 0,
        resource: 'https://ü.example/"a"\\',
        facilitator: "",
      },
      { ...terms, network: "base", amount: "0", resource: 'https://ü.example/"a"\\' },
    ],
  ])("is that of its fields: %s", (_, sent, fields) => {
    expect(hashOf(sent)).toBe(committedHash(fields));
  });
});
