import { randomBytes } from "node:crypto";
import type { PaymentRequired, PaymentRequirements } from "@x402/core/types";
import { type Address, bytesToHex, type Hex, type LocalAccount } from "viem";
import { nameOf } from "../../../api/payments/version1";
import { authorizationTypes } from "../../../client/src/market/authorization";

const decode = (header: string | null) => JSON.parse(Buffer.from(header ?? "", "base64").toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

/** The payment terms of a 402 response. */
export const askedFor = (response: Response): PaymentRequired => decode(response.headers.get("payment-required"));

/** The settlement in a response's header. */
export const receiptOf = (response: Response) =>
  decode(response.headers.get("payment-response")) as { success: boolean; transaction: Hex; errorReason?: string };

/** Deviations from the payment terms. */
export type Changes = {
  accepted?: Partial<PaymentRequirements>;
  asset?: Address;
  from?: Address;
  to?: Address;
  value?: string;
  validAfter?: number;
  validBefore?: number;
  nonce?: Hex;
  signer?: LocalAccount;
  /** Bytes instead of a signature. */
  signature?: Hex;
};

/** Signs a payment without the x402 client, optionally with deviations from the terms. */
export async function sign(account: LocalAccount, required: PaymentRequired, changes: Changes = {}) {
  const [terms] = required.accepts;
  if (!terms) throw new Error("The response has no payment terms");
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: changes.from ?? account.address,
    to: changes.to ?? (terms.payTo as Address),
    value: changes.value ?? terms.amount,
    validAfter: String(changes.validAfter ?? now - 600),
    validBefore: String(changes.validBefore ?? now + terms.maxTimeoutSeconds),
    nonce: changes.nonce ?? bytesToHex(randomBytes(32)),
  };
  const { value, validAfter, validBefore } = authorization;
  const signed = await (changes.signer ?? account).signTypedData({
    domain: {
      name: String(terms.extra.name),
      version: String(terms.extra.version),
      chainId: Number(terms.network.split(":")[1]),
      verifyingContract: changes.asset ?? (terms.asset as Address),
    },
    types: authorizationTypes,
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  const payload = { signature: changes.signature ?? signed, authorization };
  return {
    nonce: authorization.nonce,
    header: encode({ x402Version: 2, accepted: { ...terms, ...changes.accepted }, payload }),
    version1: encode({ x402Version: 1, scheme: "exact", network: nameOf(terms.network) ?? terms.network, payload }),
  };
}

/** Sends the same payment until the response is neither 409, 429 nor 503, following Retry-After. */
export async function buy(url: string, header: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url, { headers: { "payment-signature": header } });
    if (![409, 429, 503].includes(response.status)) return response;
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
