import { decodePaymentSignatureHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { type Address, keccak256, stringToHex } from "viem";
import { z } from "zod";
import { address, bytes, hash } from "../core/inputs";
import type { PaymentKey } from "./records";
import { EXPIRED, NOT_YET_VALID, PaymentRejected, rejection } from "./rejections";
import { networkOf } from "./version1";

/** The header is base64-encoded JSON. Real payments are below 2 KB. */
const MAX_HEADER_CHARACTERS = 16_384;

const digits = z.string().regex(/^\d{1,78}$/, "must be a whole number in decimal digits");
const network = z.string().transform((text) => text as PaymentRequirements["network"]);

const Signed = z.object({
  signature: bytes,
  authorization: z.object({
    ...{ from: address, to: address, value: digits },
    ...{ validAfter: digits, validBefore: digits, nonce: hash },
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

function parse<Schema extends z.ZodType>(schema: Schema, header: string, name: string): z.output<Schema> {
  if (header.length > MAX_HEADER_CHARACTERS) throw new PaymentRejected(`${name} is too long`);
  let decoded: unknown;
  try {
    decoded = decodePaymentSignatureHeader(header);
  } catch {
    throw new PaymentRejected(`${name} is not base64-encoded JSON`);
  }
  const parsed = schema.safeParse(decoded);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PaymentRejected(`${name} is not a valid payment: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

/** A parsed payment. */
export type Payment = ReturnType<typeof paymentOf>;

function paymentOf(payload: PaymentPayload, isVersion1 = false) {
  const { network, asset } = payload.accepted;
  const { authorization, signature } = Signed.parse(payload.payload);
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
  return {
    /** The payload for the facilitator, in version 2. Its `accepted` are our terms, once they match. */
    payload,
    key: { network, asset: asset.toLowerCase(), payer: from, nonce } satisfies PaymentKey,
    token: asset as Address,
    /** Hash of the signed authorization and its signature. */
    hash: keccak256(stringToHex(JSON.stringify([authorization, signature]))),
    signature,
    /** The authorization of a transfer (EIP-3009), as signed. Times are unix seconds. */
    authorization: { from, to, value: BigInt(value), ...times, nonce },
    /** Whether the client uses x402 version 1, and so reads the response header of version 1. */
    isVersion1,
  };
}

/**
 * Reads the payment header of a request. Returns null without one. Throws {@link PaymentRejected} if it is malformed.
 * Version 1 has the same signature as version 2 and only different names for the terms.
 */
export function readPayment(header: (name: string) => string | undefined, terms: PaymentRequirements): Payment | null {
  const [newer, older] = [header("payment-signature"), header("x-payment")];
  if (newer) {
    const { accepted, ...payment } = parse(Version2, newer, "PAYMENT-SIGNATURE");
    return paymentOf({ ...payment, accepted: { ...terms, ...accepted } });
  }
  if (!older) return null;
  const { payload, scheme, network } = parse(Version1, older, "X-PAYMENT");
  return paymentOf({ x402Version: 2, accepted: { ...terms, scheme, network }, payload }, true);
}

/** Parses a payment of the store. */
export const readStored = (text: string): Payment => paymentOf(JSON.parse(text) as PaymentPayload);

/** Throws if an authorization does not pay its terms now. Ignores the signature. */
export function requireAuthorization({ authorization, payload: { accepted } }: Payment): void {
  const { to, value, validAfter, validBefore } = authorization;
  const now = BigInt(Math.floor(Date.now() / 1000));
  if (to !== accepted.payTo.toLowerCase()) throw rejection("invalid_exact_evm_recipient_mismatch");
  if (value !== BigInt(accepted.amount)) throw rejection("invalid_exact_evm_payload_authorization_value_mismatch");
  if (validBefore <= now) throw rejection(EXPIRED);
  if (validAfter > now) throw rejection(NOT_YET_VALID);
}
