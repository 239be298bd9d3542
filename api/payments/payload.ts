import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { type Hex, keccak256, stringToHex } from "viem";
import { z } from "zod";
import { address } from "../../config/values";
import type { PaymentKey } from "./records";

/** A payment as a client brought it, parsed. */
export type Payment = {
  /** As the facilitator is asked about it, on our terms. */
  payload: PaymentPayload;
  key: PaymentKey;
  /** Names what was signed, together with the signature. */
  hash: Hex;
  /** Unix seconds. */
  validBefore: bigint;
  /** Whether it came as version 1 of x402 has it, and is to be answered so. */
  isVersion1: boolean;
};

/** The header is base64 of a JSON text; that of a payment has well under 2 KB. */
const MAX_HEADER_CHARACTERS = 16_384;

const digits = z.string().regex(/^\d{1,78}$/, "must be a whole number in decimal digits");
const hex = (pattern: RegExp, what: string) => z.string().regex(pattern, what);

const Signed = z.object({
  signature: hex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "must be bytes in hex"),
  authorization: z.object({
    from: address,
    to: address,
    value: digits,
    validAfter: digits,
    validBefore: digits,
    nonce: hex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hex").transform((nonce) => nonce.toLowerCase()),
  }),
});

const Version2 = z.object({
  x402Version: z.literal(2, "must be 2"),
  accepted: z.looseObject({
    scheme: z.string(),
    network: z.string(),
    asset: z.string(),
    amount: z.string(),
    payTo: z.string(),
  }),
  payload: Signed,
  extensions: z.record(z.string(), z.unknown()).optional(),
});

const Version1 = z.object({
  x402Version: z.literal(1, "must be 1"),
  scheme: z.string(),
  network: z.string(),
  payload: Signed,
});

/** The names that version 1 has for networks. */
const version1Networks: Record<string, string> = {
  base: "eip155:8453",
  "base-sepolia": "eip155:84532",
  polygon: "eip155:137",
  avalanche: "eip155:43114",
};

/** What was brought can't be read as a payment on our terms; the message says why. */
export class BadPayment extends Error {
  override name = "BadPayment";
}

function decode(header: string, name: string): unknown {
  if (header.length > MAX_HEADER_CHARACTERS) throw new BadPayment(`${name} is too long`);
  try {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) throw new SyntaxError("not base64");
    return JSON.parse(Buffer.from(header, "base64").toString());
  } catch {
    throw new BadPayment(`${name} is not a JSON text in base64`);
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, header: string, name: string): z.output<Schema> {
  const parsed = schema.safeParse(decode(header, name));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadPayment(`${name} is no payment: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

/** Refuses a payment that was made for other terms, naming what differs. */
function requireTerms(accepted: Record<string, unknown>, terms: PaymentRequirements, names: string[]): void {
  const different = names.filter(
    (name) => String(accepted[name]).toLowerCase() !== String(terms[name as keyof PaymentRequirements]).toLowerCase(),
  );
  if (different.length > 0) throw new BadPayment(`The payment is for other terms: ${different.join(", ")}`);
}

/**
 * Reads the payment of a request: null when there is none, {@link BadPayment} when it is none of ours. A payment of
 * version 1 holds the same signature, and only names the terms differently.
 */
export function readPayment(header: (name: string) => string | undefined, terms: PaymentRequirements): Payment | null {
  const [newer, older] = [header("payment-signature"), header("x-payment")];
  if (newer) {
    const { accepted, payload, extensions } = parse(Version2, newer, "PAYMENT-SIGNATURE");
    requireTerms(accepted, terms, ["scheme", "network", "asset", "amount", "payTo"]);
    return paymentOf(payload, terms, extensions, false);
  }
  if (older) {
    const { scheme, network, payload } = parse(Version1, older, "X-PAYMENT");
    requireTerms({ scheme, network: version1Networks[network] ?? network }, terms, ["scheme", "network"]);
    return paymentOf(payload, terms, undefined, true);
  }
  return null;
}

function paymentOf(
  signed: z.output<typeof Signed>,
  terms: PaymentRequirements,
  extensions: Record<string, unknown> | undefined,
  isVersion1: boolean,
): Payment {
  const { from, nonce, validBefore } = signed.authorization;
  return {
    payload: { x402Version: 2, accepted: terms, payload: signed, ...(extensions && { extensions }) },
    key: { network: terms.network, asset: terms.asset.toLowerCase(), payer: from, nonce },
    hash: keccak256(stringToHex(JSON.stringify([signed.authorization, signed.signature.toLowerCase()]))),
    validBefore: BigInt(validBefore),
    isVersion1,
  };
}
