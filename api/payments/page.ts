import { hash } from "node:crypto";
import type { PaymentRequired } from "@x402/core/types";
import { html, raw } from "hono/html";
import type { Terms } from "../../config/terms";

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem}code{overflow-wrap:anywhere}";

/** Content-Security-Policy of the page: no scripts, no requests. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The 402 response for browsers: the price and how to pay. */
export const paymentPage = (
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
