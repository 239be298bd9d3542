import { Conflict } from "../core/errors";
import { hash, isJsonObject, jsonObject, scalar } from "../core/inputs";
import { operation, z } from "../core/operation";
import { hashText } from "../core/outputs";
import { keccak256 } from "../offchain/keccak";
import { canonicalJson, normalizeRequirement } from "../payments/normalize-requirement";
import { Quote } from "./quotes";

const text = z.string();

const Normalized = z
  .strictObject({
    schema: z.literal("cortex.x402-payment-requirement.v1").openapi({
      description: "The identifier that quotes on the public deployment commit to. It is part of the hash.",
    }),
    scheme: text,
    network: text.optional(),
    chain_id: z.union([text, z.number()]).optional().openapi({ description: "A number if it was sent as one." }),
    resource: text.optional(),
    method: text.optional(),
    pay_to: text,
    asset: text,
    amount: text,
    facilitator_url: text.optional(),
    facilitator_address: text.optional(),
    expires_at: text.optional(),
    nonce: text.optional(),
  })
  .openapi("NormalizedPaymentRequirement");

type Requirement = Record<string, unknown>;

/** A JSON object, or its text. */
const requirement = scalar<string | Requirement, Requirement>(
  (sent) => {
    try {
      const value: unknown = typeof sent === "string" ? JSON.parse(sent) : sent;
      if (!isJsonObject(value)) return { problem: "must be a JSON object, or its text" };
      const parsed = jsonObject.safeParse(value);
      return parsed.success
        ? { value: parsed.data }
        : { problem: parsed.error.issues.map(({ message }) => message).join() };
    } catch (error) {
      return { problem: `is not valid JSON (${error instanceof Error ? error.message : error})` };
    }
  },
  {
    type: "object",
    description:
      "The payment requirement, as an object or as JSON text. With `accepts`, its first entry is used. Of several names of a field, the first non-empty one counts; null and empty text are absent.",
    example: {},
  },
);

const Hashed = z.strictObject({
  normalized: Normalized,
  canonical_json: text.openapi({ description: "The normalized requirement with sorted keys and without spaces." }),
  x402_payload_hash: hashText.openapi({ description: "keccak256 of `canonical_json`." }),
  warnings: z.array(text).openapi({ description: "Ignored or missing parts, to which the hash does not commit." }),
});

export const normalizePaymentRequirement = operation({
  route: "POST /x402/normalize",
  summary: "Normalizes an x402 payment requirement.",
  description: "Returns the canonical form, whose hash a quote commits to on chain.",
  input: z.object({
    payment_requirement_json: requirement,
    expected_hash: hash.optional(),
    quote: z
      .strictObject(
        { x402_payload_hash: hash.optional().openapi({ description: "The hash that the quote commits to." }) },
        "must be a JSON object",
      )
      .optional()
      .openapi({
        description: "The quote to compare with, by its `x402_payload_hash`.",
        example: { x402_payload_hash: `0x${"1f".repeat(32)}` },
      }),
  }),
  output: Hashed.extend({
    matches_expected_hash: z.boolean().nullable().openapi({ description: "Null without `expected_hash`." }),
    matches_quote_hash: z.boolean().nullable().openapi({ description: "Null without `quote.x402_payload_hash`." }),
  }).openapi("PaymentRequirementNormalization"),
  conflict: Hashed,
  errors: [409],
  // Clients send the record of a quote as it is.
  ignored: Object.keys(Quote.shape)
    .filter((name) => name !== "x402_payload_hash")
    .map((name) => `quote.${name}`),
  example: {
    payment_requirement_json: {
      scheme: "exact",
      network: "eip155:8453",
      amount: "10000",
      payTo: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      resource: "https://example.com/weather",
    },
  },
  dependsOn: [],
  async run(_, { payment_requirement_json, expected_hash, quote }) {
    const { normalized, warnings } = normalizeRequirement(payment_requirement_json);
    const canonical_json = canonicalJson(normalized);
    const x402_payload_hash = keccak256(new TextEncoder().encode(canonical_json));
    const hashed = { normalized, canonical_json, x402_payload_hash, warnings };
    if (expected_hash !== undefined && expected_hash !== x402_payload_hash)
      throw new Conflict(
        `expected_hash: is ${expected_hash}, but the requirement's hash is ${x402_payload_hash}`,
        hashed,
      );
    return {
      ...hashed,
      matches_expected_hash: expected_hash === undefined ? null : true,
      matches_quote_hash: quote?.x402_payload_hash === undefined ? null : quote.x402_payload_hash === x402_payload_hash,
    };
  },
});

export const paymentRequirements = { normalize: normalizePaymentRequirement };
