import { decodePaymentResponseHeader } from "@x402/fetch";
import { getAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { payment } from "../../../api/offchain/tables";
import { actor } from "../../../stack/local/chain";
import { payingFetch } from "../../../stack/local/paying-fetch";
import { askedFor, type Changes, receiptOf, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const wallet = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const path = `/portfolio?address=${wallet}&chains=local`;
const [payer, pauper, stranger] = [actor(9), actor(17), actor(16)];

describe("a payment for the portfolio", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
    await shop.fund(payer.address, 1_000_000_000n);
  });
  afterAll(() => shop?.close());
  beforeEach(() => {
    Object.assign(shop.state, { runs: 0, failing: false, takesMs: 0 });
    Object.assign(shop.facilitator.faults, { verify: [], settle: [] });
  });

  const ask = (headers: Record<string, string> = {}, target = path) => fetch(shop.url + target, { headers });
  const pay = (header: string, target = path) => ask({ "payment-signature": header }, target);
  const required = async () => askedFor(await ask());
  const signed = async (changes?: Changes) => sign(payer, await required(), changes);
  /** The amounts that the payer paid and the payee received during an action. */
  async function moved(act: () => Promise<unknown>, from = payer.address) {
    const before = [await shop.balanceOf(from), await shop.balanceOf(payee)] as const;
    await act();
    return [before[0] - (await shop.balanceOf(from)), (await shop.balanceOf(payee)) - before[1]];
  }
  const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
  const nothing = [0n, 0n];
  const once = [PRICE, PRICE];

  it("is made by an unmodified client, and buys one snapshot for exactly the price", async () => {
    let response = new Response();
    expect(
      await moved(async () => {
        response = await payingFetch(payer, shop.contracts.TestDollar)(shop.url + path);
      }),
    ).toEqual(once);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ address: wallet, chains: ["local"], provider: "rpc" });
    const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    expect(receipt).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: "eip155:31337",
      payer: payer.address.toLowerCase(),
      amount: String(PRICE),
    });
    const { status, to } = await shop.chain.client.getTransactionReceipt({
      hash: receipt.transaction as `0x${string}`,
    });
    expect([status, to]).toEqual(["success", shop.contracts.TestDollar.toLowerCase()]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(shop.state.runs).toBe(1);
    expect([...shop.facilitator.authorizations]).toEqual(["Bearer key"]);
    // verify and settle have the id of the client's request.
    expect(shop.facilitator.requestIds.slice(-2)).toEqual(Array(2).fill(response.headers.get("x-request-id")));
  });

  it("is requested with a header below 4 KB and a body with the same terms", async () => {
    const response = await ask();
    expect(response.status).toBe(402);
    expect(response.headers.get("payment-required")?.length).toBeLessThan(4096);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { x402Version, resource, accepts, extensions } = askedFor(response);
    expect(x402Version).toBe(2);
    expect(resource.url).toBe(`${shop.url}/portfolio`);
    expect(accepts).toEqual([
      {
        scheme: "exact",
        network: "eip155:31337",
        amount: String(PRICE),
        asset: shop.contracts.TestDollar.toLowerCase(),
        payTo: payee.toLowerCase(),
        maxTimeoutSeconds: 300,
        extra: { name: "Test Dollar", version: "1" },
      },
    ]);
    expect(extensions?.bazaar).toMatchObject({ info: { input: { type: "http", method: "GET" } } });
    expect(await response.json()).toEqual({
      error: "Payment required",
      code: "payment_required",
      x402Version: 2,
      accepts,
    });
    expect(shop.state.runs).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    ["not base64", "%%%", /not base64-encoded JSON/],
    ["not JSON", Buffer.from("{").toString("base64"), /not base64-encoded JSON/],
    ["not a payment", Buffer.from("{}").toString("base64"), /is not a valid payment: x402Version: must be 2/],
    ["an array", Buffer.from("[]").toString("base64"), /is not a valid payment/],
    ["too long", "A".repeat(20_000), /too long/],
  ])("is rejected if its header is %s", async (_, header, sentence) => {
    // The x402 server would write each to the console.
    const warn = vi.spyOn(console, "warn");
    const response = await pay(header);
    expect(response.status).toBe(402);
    expect(await errorOf(response)).toMatch(sentence);
    expect(response.headers.has("payment-required")).toBe(true);
    expect(shop.state.runs).toBe(0);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, () => Changes, RegExp]>([
    ["is for another amount", () => ({ value: "1" }), /another amount/],
    ["accepts another amount", () => ({ accepted: { amount: "1" }, value: "1" }), /not match the terms: amount/],
    ["accepts another asset", () => ({ accepted: { asset: payee } }), /not match the terms: asset/],
    ["is signed for another asset", () => ({ asset: payee }), /its signature is not the payer's/],
    ["accepts another network", () => ({ accepted: { network: "eip155:8453" } }), /not match the terms: network/],
    ["accepts another recipient", () => ({ accepted: { payTo: wallet } }), /not match the terms: payTo/],
    ["is for another recipient", () => ({ to: wallet }), /another recipient/],
    ["has expired", () => ({ validBefore: now() - 1 }), /expired/],
    ["is about to expire", () => ({ validBefore: now() + 2 }), /expired/],
    ["is not valid yet", () => ({ validAfter: now() + 100 }), /not valid yet/],
    ["is signed by another account", () => ({ signer: stranger }), /its signature is not the payer's/],
  ])("that %s is rejected, buys nothing and leaves no claim", async (_, changes, sentence) => {
    const { header, nonce } = await signed(changes());
    expect(
      await moved(async () => {
        const response = await pay(header);
        expect(response.status).toBe(402);
        expect(response.headers.has("payment-required")).toBe(true);
        expect(await errorOf(response)).toMatch(sentence);
      }),
    ).toEqual(nothing);
    expect(shop.state.runs).toBe(0);
    expect((await shop.payments()).map((row) => row.nonce)).not.toContain(nonce);
  });

  it("of a payer without balance is rejected", async () => {
    const { header } = await sign(pauper, await required());
    const response = await pay(header);
    expect(response.status).toBe(402);
    expect(await errorOf(response)).toBe("The payment is not accepted: the payer does not have enough of the token");
    expect(shop.state.runs).toBe(0);
  });

  it("sent 20 times concurrently buys once: one response, one charge, one run, and Retry-After for the rest", async () => {
    const release = shop.hold();
    const { header } = await signed();
    const responses: Response[] = [];
    expect(
      await moved(async () => {
        const paying = Array.from({ length: 20 }, async () => responses.push(await pay(header)));
        await expect.poll(() => responses.length).toBe(19);
        release();
        await Promise.all(paying);
      }),
    ).toEqual(once);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    const told = responses.find(({ status }) => status === 409);
    expect(told?.headers.get("retry-after")).toBe("1");
    expect(await told?.json()).toEqual({
      error: "This payment is being processed; retry with the same payment to get the response",
      code: "in_progress",
    });
    expect(shop.state.runs).toBe(1);
    const bought = await responses.find(({ status }) => status === 200)?.text();
    expect(await moved(async () => expect(await (await pay(header)).text()).toBe(bought))).toEqual(nothing);
    expect(shop.state.runs).toBe(1);
  });

  it("buys only its first request", async () => {
    const { header } = await signed();
    expect((await pay(header)).status).toBe(200);
    const other = await pay(header, `/portfolio?address=${payee}&chains=local`);
    expect(other.status).toBe(402);
    expect(await errorOf(other)).toBe("The payment was already used for another request; sign a new one");
    expect(shop.state.runs).toBe(1);
  });

  it("does not return the snapshot again for its nonce without its signature", async () => {
    const { header, nonce } = await signed();
    expect((await pay(header)).status).toBe(200);
    const forged = await sign(payer, await required(), { nonce, signer: stranger });
    expect((await pay(forged.header)).status).toBe(402);
    expect(shop.state.runs).toBe(1);
  });

  it("is rejected once its stored response has expired", async () => {
    const { header } = await signed();
    expect((await pay(header)).status).toBe(200);
    await shop
      .db()
      .update(payment)
      .set({ expiresAt: new Date(0), state: "FINAL" });
    expect(
      await moved(async () => {
        const response = await pay(header);
        expect([response.status, await errorOf(response)]).toEqual([
          402,
          "The payment is not accepted: it was already used",
        ]);
      }),
    ).toEqual(nothing);
    expect(shop.state.runs).toBe(1);
  });

  it("is not charged for an invalid request", async () => {
    const { header } = await signed();
    for (const target of [
      "/portfolio",
      "/portfolio?address=0x12",
      `/portfolio?address=${wallet}&chains=`,
      `/portfolio?address=${wallet}&chains=atlantis`,
      `/portfolio?address=${wallet}&chains=base,,local`,
      `/portfolio?address=${wallet}&chains=polygon`,
      `/portfolio?address=${wallet}&chains=${Array(9).fill("local").join()}`,
      `/portfolio?address=${wallet}&address=${wallet}`,
      `/portfolio?address=${wallet}&chains=local&chains=local`,
    ])
      for (const response of [await ask({}, target), await pay(header, target)]) {
        expect([target, response.status]).toEqual([target, 400]);
        expect(await response.json()).toEqual({
          error: expect.stringMatching(/^(address|chains): /),
          code: "invalid_input",
        });
      }
    expect(await moved(async () => expect((await pay(header)).status).toBe(200))).toEqual(once);
  });

  it("accepts chains in any case and by the alias eth, and removes duplicates", async () => {
    const { header } = await signed();
    const response = await pay(
      header,
      `/portfolio?address=${wallet.toUpperCase().replace("0X", "0x")}&chains=LOCAL,Base,local,eth,Ethereum`,
    );
    expect(await response.json()).toMatchObject({ address: wallet, chains: ["local", "base", "ethereum"] });
    const byDefault = await pay((await signed()).header, `/portfolio?address=${wallet}`);
    expect(await byDefault.json()).toMatchObject({ chains: ["base", "ethereum"] });
  });

  it("is not charged if the snapshot fails, and can be used later", async () => {
    const { header } = await signed();
    shop.state.failing = true;
    expect(
      await moved(async () => {
        const response = await pay(header);
        expect(response.status).toBe(500);
        expect(await response.text()).not.toContain("secret");
        expect(response.headers.has("payment-response")).toBe(false);
      }),
    ).toEqual(nothing);
    shop.state.failing = false;
    expect(await moved(async () => expect((await pay(header)).status).toBe(200))).toEqual(once);
  });

  it("is not charged if the snapshot leaves no time to settle", async () => {
    const { header } = await signed();
    shop.state.takesMs = 11_500;
    const settled = shop.facilitator.calls.settle;
    expect(
      await moved(async () => {
        const response = await pay(header);
        expect([response.status, await errorOf(response)]).toEqual([
          503,
          "The request took too long, and nothing was charged; try again",
        ]);
      }),
    ).toEqual(nothing);
    expect(shop.facilitator.calls.settle).toBe(settled);
  });

  it("is not settled after the gateway's timeout response", async () => {
    const { header } = await signed();
    const release = shop.hold();
    const settled = shop.facilitator.calls.settle;
    const response = await pay(header);
    expect([response.status, await errorOf(response)]).toEqual([503, "The request took too long; try again"]);
    release();
    // The late snapshot releases its claim without settling, so the payment runs another one.
    await expect.poll(async () => (await pay(header)).status).toBe(200);
    expect([shop.state.runs, shop.facilitator.calls.settle]).toEqual([2, settled + 1]);
  });

  it("of version 1 is accepted", async () => {
    const { version1 } = await signed();
    let response = new Response();
    expect(
      await moved(async () => {
        response = await ask({ "x-payment": version1 });
      }),
    ).toEqual(once);
    expect(response.status).toBe(200);
    expect(decodePaymentResponseHeader(response.headers.get("x-payment-response") ?? "")).toMatchObject({
      success: true,
    });
    expect(receiptOf(response)).toMatchObject({ success: true });
  });

  it("of version 1 for another network is rejected", async () => {
    const { version1 } = await signed();
    const payload = JSON.parse(Buffer.from(version1, "base64").toString());
    const elsewhere = Buffer.from(JSON.stringify({ ...payload, network: "base" })).toString("base64");
    const response = await ask({ "x-payment": elsewhere });
    expect([response.status, await errorOf(response)]).toEqual([
      402,
      "The payment does not match the terms: network; sign the terms of this response",
    ]);
    expect(shop.state.runs).toBe(0);
  });

  it("is accepted with the addresses of the terms in any letter case, and without the terms that are not signed", async () => {
    const { accepts } = await required();
    const { scheme, network, amount, asset } = accepts[0] ?? {};
    const { header } = await signed();
    const payload = JSON.parse(Buffer.from(header, "base64").toString());
    const accepted = { scheme, network, amount, payTo: payee, asset: getAddress(asset ?? "") };
    expect(accepted.payTo).not.toBe(accepts[0]?.payTo);
    const sent = Buffer.from(JSON.stringify({ ...payload, accepted })).toString("base64");
    expect((await pay(sent)).status).toBe(200);
  });

  it("may repeat the extensions of the terms, but not change them", async () => {
    const { extensions } = await required();
    const withExtensions = async (bazaar: unknown) => {
      const payload = JSON.parse(Buffer.from((await signed()).header, "base64").toString());
      return pay(Buffer.from(JSON.stringify({ ...payload, extensions: { bazaar } })).toString("base64"));
    };
    const response = await withExtensions({ info: { input: { type: "http", method: "POST" } } });
    expect([response.status, askedFor(response).error, await errorOf(response)]).toEqual([
      402,
      "extension_echo_mismatch",
      "The payment's extensions do not match this offer; copy them from payment-required",
    ]);
    expect(shop.state.runs).toBe(0);
    expect((await withExtensions(extensions?.bazaar)).status).toBe(200);
  });

  it("buys a response with a body, also with If-None-Match", async () => {
    const { header } = await signed();
    const response = await ask({ "payment-signature": header, "if-none-match": "*" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ address: wallet });
  });

  it("is never charged for HEAD, which returns the terms of GET", async () => {
    const { header } = await signed();
    for (const payment of [undefined, header]) {
      const response = await fetch(shop.url + path, {
        method: "HEAD",
        headers: payment ? { "payment-signature": payment } : {},
      });
      expect(response.status).toBe(402);
      expect(askedFor(response).accepts).toHaveLength(1);
    }
    expect(shop.state.runs).toBe(0);
  });

  it("is rejected with other methods before it is parsed", async () => {
    const { header } = await signed();
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const response = await fetch(shop.url + path, { method, headers: { "payment-signature": header } });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    expect(shop.state.runs).toBe(0);
  });

  it("can be made from a page of another origin", async () => {
    const preflight = await fetch(shop.url + path, {
      method: "OPTIONS",
      headers: {
        origin: "https://other.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "payment-signature,access-control-expose-headers",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("payment-signature");
    const response = await ask({ origin: "https://other.example" });
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    expect(exposed.split(",")).toEqual(expect.arrayContaining(["payment-required", "payment-response", "retry-after"]));
  });

  it("is requested with an HTML page without scripts in a browser", async () => {
    const response = await ask({ accept: "text/html,application/xhtml+xml", host: "x<script>" });
    expect([response.status, response.headers.get("content-type")]).toEqual([402, "text/html; charset=UTF-8"]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.has("payment-required")).toBe(true);
    const page = await response.text();
    expect(page).toContain("$0.01");
    expect(page).not.toContain("<script");
  });

  it("uses PUBLIC_BASE_URL in the resource, and forwarding headers only from a trusted proxy", async () => {
    const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.example" };
    const named = async (url: string) => askedFor(await fetch(url + path, { headers: forwarded })).resource.url;
    expect(await named(shop.url)).toBe(`${shop.url}/portfolio`);
    expect(await named(await shop.openGateway({ trustProxy: true }))).toBe("https://shop.example/portfolio");
    expect(await named(await shop.openGateway({ publicBaseUrl: "https://api.example" }))).toBe(
      "https://api.example/portfolio",
    );
  });

  it("is not required while payment is disabled", async () => {
    const url = await shop.openGateway({ x402DevBypass: true });
    const response = await fetch(url + path);
    expect([response.status, response.headers.has("payment-response")]).toEqual([200, false]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ x402DevBypass: true });
    expect((await fetch(`${url}/portfolio?address=1`)).status).toBe(400);
  });

  it("is not requested without a payee", async () => {
    const url = await shop.openGateway({}, false);
    const response = await fetch(url + path);
    expect([response.status, await errorOf(response)]).toEqual([
      404,
      "/portfolio is not available: payment is not configured on this server",
    ]);
    expect(await (await fetch(`${url}/.well-known/x402.json`)).json()).toEqual({ version: "1.0.0", resources: [] });
  });

  it.each(["/.well-known/x402.json", "/.well-known/x402"])("is described in %s", async (place) => {
    const { accepts } = await required();
    const document = await (await fetch(shop.url + place)).json();
    expect(document).toMatchObject({
      version: "1.0.0",
      resources: [
        {
          path: "/portfolio",
          method: "GET",
          price: "$0.01",
          network: "eip155:31337",
          description: expect.any(String),
          url: `${shop.url}/portfolio`,
          accepts,
          inputSchema: {
            properties: { address: { type: "string" }, chains: { type: "string" } },
            required: ["address"],
          },
          outputSchema: { type: "object", properties: { summary: {}, tokens: { type: "array" } } },
        },
      ],
    });
  });

  it("does not leak messages of facilitators and nodes", async () => {
    const { header } = await signed();
    shop.facilitator.faults.settle.push("unknown reason");
    const response = await pay(header);
    expect(response.status).toBe(503);
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain("secret");
    expect(receiptOf(await pay(header)).success).toBe(true);
  });
});
