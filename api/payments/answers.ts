import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import type { SettleResponse } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import type { Terms } from "../../config/terms";
import { etagOf } from "../http/etag";
import { type Offer, paymentRequired } from "./offer";
import { PAGE_POLICY, paymentPage } from "./page";
import type { Payment } from "./payload";
import { sentenceOf } from "./reasons";

/** Asks for payment: with a header for x402 clients, and a body for whoever looks. */
export function askForPayment(
  c: HonoContext,
  offer: Offer,
  terms: Terms,
  error: string,
  code = error,
  headers: Record<string, string> = {},
): Response | Promise<Response> {
  const all = {
    ...headers,
    "payment-required": encodePaymentRequiredHeader(paymentRequired(offer, code)),
    "cache-control": "no-store",
    vary: "accept",
  };
  if (c.req.header("accept")?.includes("text/html"))
    return c.html(paymentPage(offer, terms, error), 402, { ...all, "content-security-policy": PAGE_POLICY });
  return c.json({ error, x402Version: 2, accepts: offer.accepts }, 402, all);
}

/** What is told of a settlement: nothing that a facilitator or its node said beyond it. */
const receiptHeaders = ({ isVersion1 }: Payment, receipt: SettleResponse) => ({
  [isVersion1 ? "x-payment-response" : "payment-response"]: encodePaymentResponseHeader(receipt),
});

/** Refuses a payment that can't be settled. */
export function refuseSettlement(c: HonoContext, offer: Offer, terms: Terms, payment: Payment, code: string) {
  const { network, payer } = payment.key;
  const receipt = { success: false, errorReason: code, transaction: "", network: network as Terms["network"], payer };
  return askForPayment(c, offer, terms, sentenceOf(code), code, receiptHeaders(payment, receipt));
}

/** Hands over what was paid for. Nobody in between may keep it. */
export function handOver(
  c: HonoContext,
  offer: Offer,
  payment: Payment,
  answer: string,
  transaction: string,
): Response {
  const [{ amount }] = offer.accepts;
  const { network, payer } = payment.key;
  const receipt = { success: true, transaction, network: network as Terms["network"], payer, amount };
  return c.body(answer, 200, {
    ...receiptHeaders(payment, receipt),
    "content-type": "application/json; charset=UTF-8",
    "content-length": String(Buffer.byteLength(answer)),
    "cache-control": "private, no-store",
    etag: etagOf(answer),
  });
}
