import { hash } from "node:crypto";
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import type { PaymentRequired, SettleResponse } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import { html, raw } from "hono/html";
import type { Terms } from "../../config/terms";
import { errorBody } from "../core/error-codes";
import { type Env, JSON_TYPE, jsonReply, reply, taggedReply, textReply } from "../http/reply";
import type { Payment } from "./payload";
import type { PaymentRejected } from "./rejections";
import { nameOf, paymentRequiredV1 } from "./version1";

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem}code{overflow-wrap:anywhere}";

/** Content-Security-Policy of the page: no scripts, no requests. */
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The 402 response for browsers: the price and how to pay. */
const paymentPage = (
  { resource }: PaymentRequired,
  { price, network, payTo, asset }: Terms,
  error: string,
) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Payment required</title>
    <style>${raw(style)}</style>
  </head>
  <body>
    <h1>Payment required</h1>
    <p>${error}.</p>
    <p>${resource.description ?? ""} The price is ${price} per request, paid in ${asset.name} on ${network} to <code>${payTo}</code>.</p>
    <p>
      Programs pay with <a href="https://x402.org">x402</a>: the header <code>payment-required</code> of this response has the terms,
      and a client such as @x402/fetch signs the payment. No account is needed. <a href="/docs">/docs</a> describes the request, and
      <a href="/.well-known/x402.json">/.well-known/x402.json</a> the offer.
    </p>
  </body>
</html>`;

/** The error of a request without a payment. */
export const PAYMENT_REQUIRED = "Payment required";

/**
 * The 402 response: a header for clients of x402 version 2, with x402's reason, and a JSON or HTML body. Clients of version 1
 * read the terms from the JSON body, and those of version 2 from the header.
 */
export function paymentRequiredResponse(
  c: HonoContext<Env>,
  required: PaymentRequired,
  terms: Terms,
  { message, code, headers }: PaymentRejected,
): Response {
  const header = encodePaymentRequiredHeader({ ...required, error: code });
  const all = { ...headers, "payment-required": header, "cache-control": "no-store", vary: "accept" };
  if (c.req.header("accept")?.includes("text/html")) {
    const page = String(paymentPage(required, terms, message));
    const policy = { "content-security-policy": PAGE_POLICY };
    return reply(c, textReply(page, "text/html; charset=UTF-8", 402, { ...all, ...policy }));
  }
  const error = errorBody(message === PAYMENT_REQUIRED ? "payment_required" : "payment_rejected", message);
  const body = paymentRequiredV1(required) ?? { x402Version: 2, accepts: required.accepts };
  return reply(c, jsonReply({ ...error, ...body }, 402, all));
}

/** The settlement headers. They contain no free text of the facilitator or its node. */
export function settlementHeaders(
  { key, isVersion1 }: Payment,
  receipt: Pick<SettleResponse, "success" | "transaction" | "errorReason" | "amount">,
): Record<string, string> {
  const header = (network: string) =>
    encodePaymentResponseHeader({ ...receipt, network: network as SettleResponse["network"], payer: key.payer });
  return {
    "payment-response": header(key.network),
    ...(isVersion1 && { "x-payment-response": header(nameOf(key.network) ?? key.network) }),
  };
}

/** The response to a settled payment. Shared caches must not store it. */
export function paidResponse(c: HonoContext<Env>, payment: Payment, answer: string, transaction: string): Response {
  const { amount } = payment.payload.accepted;
  const headers = settlementHeaders(payment, { success: true, transaction, amount });
  return reply(c, taggedReply(answer, JSON_TYPE, { ...headers, "cache-control": "private, no-store" }));
}
