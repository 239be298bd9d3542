import type { ServerResponse } from "node:http";
import { privateKeyToAccount } from "viem/accounts";
import { afterEach, describe, expect, it } from "vitest";
import { createIntentryClient } from "../../client/src/index";
import { json, serve } from "./stand-in";

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
const offering = (response: ServerResponse) => {
  response.setHeader("payment-required", encoded(offer));
  json(response, 402, { ...offer, error: "Payment required" });
};
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

describe("buying a portfolio", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  /** Buys from a service with these responses, in order. Returns the outcome, the payments and the number of signatures. */
  async function buy(responses: ((response: ServerResponse) => void)[], retries?: number) {
    const left = [...responses];
    const service = await serve((_, __, response) => left.shift()?.(response));
    close = service.close;
    let signed = 0;
    const payer = {
      address: account.address,
      signTypedData: ((message: never) => {
        signed++;
        return account.signTypedData(message);
      }) as typeof account.signTypedData,
    };
    const spending = { tokens: [{ network, asset }] } as const;
    const intentry = createIntentryClient({ url: service.url, payer, spending, retries });
    const outcome = await intentry.portfolio(account.address).catch((error: unknown) => error);
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
    const { outcome, payments } = await buy(responses, 1);
    expect(outcome).toMatchObject({ name: "IntentryError", status, message: expect.stringMatching(message) });
    expect(payments).toHaveLength(responses.length);
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
    close = service.close;
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(createIntentryClient({ url: service.url }).portfolio(account.address, { signal })).rejects.toThrow(
      "enough",
    );
    expect(service.requests).toEqual([]);
  });
});
