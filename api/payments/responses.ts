import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import type { SettleResponse } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import type { Terms } from "../../config/terms";
import { errorBody } from "../core/error-codes";
import { type Env, JSON_TYPE, jsonReply, reply, taggedReply, textReply } from "../http/reply";
import { type Offer, paymentRequired } from "./offer";
import { PAGE_POLICY, paymentPage } from "./page";
import type { Payment } from "./payload";
import { rejectionMessage } from "./reasons";
import { nameOf, paymentRequiredV1 } from "./version1";

/** The error of a request without a payment. */
export const PAYMENT_REQUIRED = "Payment required";

/**
 * The 402 response: a header for clients of x402 version 2, with x402's reason, and a JSON or HTML body. Clients of version 1
 * read the terms from the JSON body, and those of version 2 from the header.
 */
export function paymentRequiredResponse(
  c: HonoContext<Env>,
  offer: Offer,
  terms: Terms,
  error: string,
  reason = error,
  headers: Record<string, string> = {},
): Response {
  const all = {
    ...headers,
    "payment-required": encodePaymentRequiredHeader(paymentRequired(offer, reason)),
    "cache-control": "no-store",
    vary: "accept",
  };
  if (c.req.header("accept")?.includes("text/html"))
    return reply(
      c,
      textReply(String(paymentPage(offer, terms, error)), "text/html; charset=UTF-8", 402, {
        ...all,
        "content-security-policy": PAGE_POLICY,
      }),
    );
  const code = error === PAYMENT_REQUIRED ? "payment_required" : "payment_rejected";
  const body = paymentRequiredV1(offer) ?? { x402Version: 2, accepts: offer.accepts };
  return reply(c, jsonReply({ ...errorBody(code, error), ...body }, 402, all));
}

/** The settlement headers. They contain no free text of the facilitator or its node. */
const settlementHeaders = ({ isVersion1 }: Payment, receipt: SettleResponse) => ({
  "payment-response": encodePaymentResponseHeader(receipt),
  ...(isVersion1 && {
    "x-payment-response": encodePaymentResponseHeader({
      ...receipt,
      network: (nameOf(receipt.network) ?? receipt.network) as SettleResponse["network"],
    }),
  }),
});

/** The 402 response for a payment that can't be settled. */
export function settlementFailedResponse(
  c: HonoContext<Env>,
  offer: Offer,
  terms: Terms,
  payment: Payment,
  code: string,
) {
  const { network, payer } = payment.key;
  const receipt = { success: false, errorReason: code, transaction: "", network: network as Terms["network"], payer };
  return paymentRequiredResponse(c, offer, terms, rejectionMessage(code), code, settlementHeaders(payment, receipt));
}

/** The response to a settled payment. Shared caches must not store it. */
export function paidResponse(
  c: HonoContext<Env>,
  offer: Offer,
  payment: Payment,
  answer: string,
  transaction: string,
): Response {
  const [{ amount }] = offer.accepts;
  const { network, payer } = payment.key;
  const receipt = { success: true, transaction, network: network as Terms["network"], payer, amount };
  const headers = { ...settlementHeaders(payment, receipt), "cache-control": "private, no-store" };
  return reply(c, { ...taggedReply(answer, JSON_TYPE, headers) });
}
