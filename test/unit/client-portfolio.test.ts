import type { ServerResponse } from "node:http";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { createIntentryClient, type Spending } from "../../client/src/index";
import { fastTime } from "./fast-time";
import { json, serve } from "./stand-in";

fastTime();

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

const network = "eip155:31337";
const asset = `0x${"0d".repeat(20)}` as const;
const account = privateKeyToAccount(`0x${"1f".repeat(32)}`);

const offer = {
  x402Version: 2,
  resource: { url: "http://localhost/portfolio", description: "", mimeType: "application/json" },
  accepts: [
    {
      ...{ scheme: "exact", network, asset, amount: "10000", payTo: account.address, maxTimeoutSeconds: 60 },
      extra: { name: "Test Dollar", version: "1" },
    },
  ],
};
const snapshot = { address: account.address, chains: ["local"], provider: "test" };
const settled = encoded({ success: true, transaction: "0xabc", network, payer: account.address });

const later = (response: ServerResponse, status: number) => {
  response.setHeader("retry-after", "0");
  json(response, status, { error: "not now" });
};
const offeringTerms = (terms: object) => (response: ServerResponse) => {
  response.setHeader("payment-required", encoded(terms));
  json(response, 402, { ...terms, error: "Payment required", code: "payment_required" });
};
const offering = offeringTerms(offer);
/** The same offer with other terms. */
const offeringWith = (terms: object) => offeringTerms({ ...offer, accepts: [{ ...offer.accepts[0], ...terms }] });

/** USDC on Base, which the x402 library knows. */
const usdc = { network: "eip155:8453", asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" } as const;
const usdcDomain = { extra: { name: "USD Coin", version: "2" } };
const selling = (response: ServerResponse) => {
  response.setHeader("payment-response", settled);
  json(response, 200, snapshot);
};
/** A sale through a proxy that removes unknown headers. */
const sellingWithoutHeader = (response: ServerResponse) => json(response, 200, snapshot);
/** A sale whose response is truncated. */
const cutOff = (response: ServerResponse) => {
  const text = JSON.stringify(snapshot);
  response.writeHead(200, { "payment-response": settled, "content-length": text.length });
  response.write(text.slice(0, 20), () => response.destroy());
};
const hangingUp = (response: ServerResponse) => response.destroy();

// Some tests wait before they retry.
describe.concurrent("buying a portfolio", () => {
  /** Buys from a service with these responses, in order. Returns the outcome, the payments and the number of signatures. */
  async function buy(
    responses: ((response: ServerResponse) => void)[],
    { retries, spending, rejects }: { retries?: number; spending?: Spending; rejects?: string } = {},
  ) {
    const left = [...responses];
    const service = await serve((_, __, response) => left.shift()?.(response));
    let signed = 0;
    const payer = {
      address: account.address,
      signTypedData: ((message: never) => {
        if (rejects) return Promise.reject(new Error(rejects));
        signed++;
        return account.signTypedData(message);
      }) as typeof account.signTypedData,
    };
    const intentry = createIntentryClient({ url: service.url, payer, spending, retries });
    const outcome = await intentry.portfolio(account.address).catch((error: unknown) => error);
    service.close();
    const payments = service.requests.map(({ headers }) => headers["payment-signature"]);
    return { outcome, payments, signed: () => signed };
  }

  it("returns the snapshot also without a PAYMENT-RESPONSE header", async () => {
    const { outcome, signed } = await buy([offering, sellingWithoutHeader]);
    expect(outcome).toEqual({ snapshot, payment: null });
    expect(signed()).toBe(1);
  });

  const bought = { snapshot, payment: { transaction: "0xabc", network, payer: account.address } };

  it.each([
    ["is truncated", cutOff],
    ["is lost", hangingUp],
    ["is a 409 with Retry-After", (response: ServerResponse) => later(response, 409)],
  ])("sends the same payment again when the response %s", async (_, failing) => {
    const { outcome, payments, signed } = await buy([offering, failing, selling]);
    expect(outcome).toEqual(bought);
    expect(payments).toEqual([undefined, expect.any(String), payments[1]]);
    expect(signed()).toBe(1);
  });

  it.each([
    ["503", (response: ServerResponse) => later(response, 503)],
    ["429", (response: ServerResponse) => later(response, 429)],
    ["missing", hangingUp],
  ])("retries before anything is signed when the first response is %s", async (_, failing) => {
    const { outcome, payments, signed } = await buy([failing, failing, offering, selling]);
    expect(outcome).toEqual(bought);
    expect(payments).toEqual([undefined, undefined, undefined, expect.any(String)]);
    expect(signed()).toBe(1);
  });

  it.each<[string, ((response: ServerResponse) => void)[], number | undefined, string | RegExp]>([
    ["there is no offer", [(response) => later(response, 503), (response) => later(response, 503)], 503, "not now"],
    ["there is no response", [hangingUp, hangingUp], undefined, /./],
    ["the input is invalid", [(response) => json(response, 400, { error: "chains: no" })], 400, "chains: no"],
    ["the payment is rejected", [offering, offering], 402, "Payment required"],
    ["every paid response is truncated", [offering, cutOff, cutOff], undefined, /./],
  ])("fails with an IntentryError when %s", async (_, responses, status, message) => {
    const { outcome, payments } = await buy(responses, { retries: 1 });
    expect(outcome).toMatchObject({ name: "IntentryError", status, message: expect.stringMatching(message) });
    expect(payments).toHaveLength(responses.length);
  });

  it.each<[string, object, Spending | undefined, RegExp]>([
    [
      "an unknown token of a public chain",
      { network: "eip155:8453" },
      undefined,
      /^The service asks for 10000 of 0x(0d){20} on eip155:8453, and this client pays at most \$1 in known tokens of EVM chains\. To pay it, add the token to `spending.tokens`/,
    ],
    [
      "more than $1",
      { ...usdc, ...usdcDomain, amount: "1000001" },
      undefined,
      /asks for 1000001 of .* at most \$1 in known/,
    ],
    ["more than its own limit", { ...usdc, ...usdcDomain }, { maxPerPayment: "$0.001" }, /at most \$0\.001 in known/],
    [
      "more of a token than its limit",
      { network: "eip155:8453" },
      { tokens: [{ network: "eip155:8453", asset, maxAmountPerPayment: "9999" }] },
      / and the tokens in `spending\.tokens`\. /,
    ],
    [
      "a payment on another kind of chain",
      { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" },
      undefined,
      /on solana:/,
    ],
    ["nothing", { scheme: "upto" }, undefined, /^The service asks for /],
  ])("declines %s in its own words, and signs nothing", async (_, terms, spending, message) => {
    const { outcome, signed, payments } = await buy([offeringWith(terms)], { spending });
    expect(outcome).toMatchObject({ name: "IntentryError", code: "payment_declined", status: 402 });
    expect((outcome as Error).message).toMatch(message);
    expect((outcome as Error).message).not.toContain("spendControls");
    expect([signed(), payments]).toEqual([0, [undefined]]);
  });

  it("pays a known token up to $1, and other tokens that spending allows", async () => {
    const known = await buy([offeringWith({ ...usdc, ...usdcDomain, amount: "1000000" }), selling]);
    expect(known.outcome).toMatchObject({ snapshot });
    const spending = { tokens: [{ network: "eip155:8453", asset }] } as const;
    const allowed = await buy([offeringWith({ network: "eip155:8453" }), selling], { spending });
    expect(allowed.outcome).toMatchObject({ snapshot });
  });

  it("reports that the payer did not sign", async () => {
    const { outcome, payments } = await buy([offering], { rejects: "User rejected the request" });
    expect(outcome).toMatchObject({
      name: "IntentryError",
      code: "payment_declined",
      message: "The payer did not sign the payment: User rejected the request",
    });
    expect(payments).toEqual([undefined]);
  });

  it("reports terms that can't be read, and a missing payer", async () => {
    const { outcome } = await buy([(response) => json(response, 402, { error: "Pay", code: "payment_required" })]);
    expect(outcome).toMatchObject({ code: "unexpected_response", message: expect.stringContaining("can't be read") });
    const service = await serve((_, __, response) => offering(response));
    const unpaid = createIntentryClient({ url: service.url }).portfolio(account.address);
    await expect(unpaid).rejects.toMatchObject({ name: "IntentryError", code: "payer_missing", status: 402 });
    service.close();
  });

  it("has the code of the service when the payment is rejected", async () => {
    const rejecting = (response: ServerResponse) =>
      json(response, 402, { error: "The payment is not accepted: it has expired", code: "payment_rejected" });
    const { outcome } = await buy([offering, rejecting]);
    expect(outcome).toMatchObject({ code: "payment_rejected", message: "The payment is not accepted: it has expired" });
  });

  it("is not retried after a longer Retry-After than other calls", async () => {
    const { outcome, payments } = await buy([
      (response) => {
        response.setHeader("retry-after", "86400");
        json(response, 429, { error: "tomorrow" });
      },
    ]);
    expect(outcome).toMatchObject({ name: "IntentryError", status: 429, message: "tomorrow" });
    expect(payments).toHaveLength(1);
  });

  it("rejects with the signal's reason when aborted", async () => {
    const service = await serve((_, __, response) => later(response, 503));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(createIntentryClient({ url: service.url }).portfolio(account.address, { signal })).rejects.toThrow(
      "enough",
    );
    expect(service.requests).toEqual([]);
    service.close();
  });
});
