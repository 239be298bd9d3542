import { decodePaymentSignatureHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { type Address, type Hex, keccak256, stringToHex } from "viem";
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

/** The authorization of a transfer (EIP-3009), as signed. Times are unix seconds. */
export type Authorization = {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
};

/** The header is base64-encoded JSON. Real payments are below 2 KB. */
const MAX_HEADER_CHARACTERS = 16_384;

const digits = z.string().regex(/^\d{1,78}$/, "must be a whole number in decimal digits");
const hex = (pattern: RegExp, what: string) =>
  z
    .string()
    .regex(pattern, what)
    .transform((text) => text as Hex);

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
  accepted: z.object({
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

/** The payment is malformed or does not match the terms. The client receives the message. */
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

type Accepted = Partial<z.output<typeof Version2>["accepted"]>;

/** The terms that a payment accepts. Those that differ from ours only in case are ours. */
const acceptedOf = (sent: Accepted, terms: PaymentRequirements) =>
  Object.fromEntries(
    Object.entries(terms).map(([name, ours]) => {
      const text = sent[name as keyof Accepted];
      return [name, text === undefined || text.toLowerCase() === String(ours).toLowerCase() ? ours : text];
    }),
  ) as PaymentRequirements;

/** The message for a payment that accepts other terms. Undefined if it accepts ours. */
export function termsProblem({ payload }: Payment, terms: PaymentRequirements): string | undefined {
  const names = Object.keys(terms) as (keyof PaymentRequirements)[];
  const different = names.filter((name) => payload.accepted[name] !== terms[name]);
  return different.length === 0
    ? undefined
    : `The payment does not match the terms: ${different.join(", ")}; sign the terms of this response`;
}

/**
 * Reads the payment header of a request. Returns null without one. Throws {@link BadPayment}. Version 1 has the same
 * signature as version 2 and only different names for the terms.
 */
export function readPayment(header: (name: string) => string | undefined, terms: PaymentRequirements): Payment | null {
  const [newer, older] = [header("payment-signature"), header("x-payment")];
  if (newer) {
    const { accepted, payload, extensions } = parse(Version2, newer, "PAYMENT-SIGNATURE");
    return paymentOf(payload, acceptedOf(accepted, terms), extensions, false);
  }
  if (older) {
    const { scheme, network, payload } = parse(Version1, older, "X-PAYMENT");
    return paymentOf(payload, acceptedOf({ scheme, network: networkOf(network) }, terms), undefined, true);
  }
  return null;
}

/** Parses a payment of the store, which {@link storedText} wrote. */
export function readStored(text: string): Pick<Payment, "payload" | "authorization"> {
  const payload = JSON.parse(text) as PaymentPayload;
  return { payload, authorization: authorizationOf(Signed.parse(payload.payload)) };
}

/** The text of a payment for the store. */
export const storedText = ({ payload }: Payment) => JSON.stringify(payload);

function authorizationOf({ authorization }: z.output<typeof Signed>): Authorization {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    ...{ from, to, nonce },
    ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
  };
}

function paymentOf(
  signed: z.output<typeof Signed>,
  accepted: PaymentRequirements,
  extensions: Record<string, unknown> | undefined,
  isVersion1: boolean,
): Payment {
  const authorization = authorizationOf(signed);
  const { from, nonce } = authorization;
  return {
    payload: { x402Version: 2, accepted, payload: signed, ...(extensions && { extensions }) },
    key: { network: accepted.network, asset: accepted.asset.toLowerCase(), payer: from, nonce },
    hash: keccak256(stringToHex(JSON.stringify([signed.authorization, signed.signature.toLowerCase()]))),
    signature: signed.signature,
    authorization,
    isVersion1,
  };
}
