import { decodePaymentSignatureHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { type Hex, keccak256, stringToHex } from "viem";
import { z } from "zod";
import { address } from "../../config/values";
import type { PaymentKey } from "./records";
import { networkOf } from "./version1";

/** A parsed payment of a request. */
export type Payment = {
  /** The payload for the facilitator, in version 2. */
  payload: PaymentPayload;
  key: PaymentKey;
  /** Hash of the signed authorization and its signature. */
  hash: Hex;
  signature: Hex;
  authorization: Authorization;
  /** Whether the client uses x402 version 1, and so reads the response header of version 1. */
  isVersion1: boolean;
};

/** The header is base64-encoded JSON. Real payments are below 2 KB. */
const MAX_HEADER_CHARACTERS = 16_384;

const digits = z.string().regex(/^\d{1,78}$/, "must be a whole number in decimal digits");
const hex = (pattern: RegExp, what: string) =>
  z
    .string()
    .regex(pattern, what)
    .transform((text) => text as Hex);

const network = z.string().transform((text) => text as PaymentRequirements["network"]);

const Signed = z.object({
  signature: hex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "must be bytes in hex"),
  authorization: z.object({
    from: address,
    to: address,
    value: digits,
    validAfter: digits,
    validBefore: digits,
    nonce: hex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hex").transform((nonce) => nonce.toLowerCase() as Hex),
  }),
});

const Version2 = z.object({
  x402Version: z.literal(2, "must be 2"),
  accepted: z.object({ scheme: z.string(), network, asset: address, amount: z.string(), payTo: address }),
  payload: Signed,
  extensions: z.record(z.string(), z.unknown()).optional(),
});

const Version1 = z.object({
  x402Version: z.literal(1, "must be 1"),
  scheme: z.string(),
  network: network.transform(networkOf),
  payload: Signed,
});

/** The payment is malformed. The client receives the message. */
export class BadPayment extends Error {
  override name = "BadPayment";
}

function decode(header: string, name: string): unknown {
  if (header.length > MAX_HEADER_CHARACTERS) throw new BadPayment(`${name} is too long`);
  try {
    return decodePaymentSignatureHeader(header);
  } catch {
    throw new BadPayment(`${name} is not base64-encoded JSON`);
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, header: string, name: string): z.output<Schema> {
  const parsed = schema.safeParse(decode(header, name));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadPayment(`${name} is not a valid payment: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

/**
 * Reads the payment header of a request. Returns null without one. Throws {@link BadPayment}. Version 1 has the same
 * signature as version 2 and only different names for the terms.
 */
export function readPayment(header: (name: string) => string | undefined, terms: PaymentRequirements): Payment | null {
  const [newer, older] = [header("payment-signature"), header("x-payment")];
  if (newer) {
    const { accepted, payload, extensions } = parse(Version2, newer, "PAYMENT-SIGNATURE");
    return { ...paymentOf(payload, { ...terms, ...accepted }, extensions), isVersion1: false };
  }
  if (older) {
    const { scheme, network, payload } = parse(Version1, older, "X-PAYMENT");
    return { ...paymentOf(payload, { ...terms, scheme, network }), isVersion1: true };
  }
  return null;
}

/** Parses a payment of the store. */
export function readStored(text: string): Pick<Payment, "payload" | "authorization"> {
  const payload = JSON.parse(text) as PaymentPayload;
  return { payload, authorization: authorizationOf(Signed.parse(payload.payload)) };
}

/** The authorization of a transfer (EIP-3009), as signed. Times are unix seconds. */
export type Authorization = ReturnType<typeof authorizationOf>;

function authorizationOf({ authorization }: z.output<typeof Signed>) {
  const { value, validAfter, validBefore, ...parties } = authorization;
  return { ...parties, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
}

function paymentOf(
  signed: z.output<typeof Signed>,
  accepted: PaymentRequirements,
  extensions?: Record<string, unknown>,
): Omit<Payment, "isVersion1"> {
  const authorization = authorizationOf(signed);
  const { from, nonce } = authorization;
  return {
    payload: { x402Version: 2, accepted, payload: signed, ...(extensions && { extensions }) },
    key: { network: accepted.network, asset: accepted.asset.toLowerCase(), payer: from, nonce },
    hash: keccak256(stringToHex(JSON.stringify([signed.authorization, signed.signature.toLowerCase()]))),
    signature: signed.signature,
    authorization,
  };
}
