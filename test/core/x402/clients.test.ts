import { createRequire } from "node:module";
import { x402Client as AxiosClient, wrapAxiosWithPayment } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import axios from "axios";
import { createWalletClient, http, type WalletClient } from "viem";
import { baseSepolia } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../../stack/local/chain";
import { askedFor, buy, receiptOf, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

// In CommonJS, because package.json replaces their packages for Solana by empty ones, whose exports an import would miss.
const require = createRequire(import.meta.url);
const { decodeXPaymentResponse, withPaymentInterceptor }: typeof import("x402-axios") = require("x402-axios");
const { decodeXPaymentResponse: decodeFetchResponse, wrapFetchWithPayment: wrapFetchV1 }: typeof import("x402-fetch") =
  require("x402-fetch");

const wallet = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const path = `/portfolio?address=${wallet}&chains=base`;
const payer = actor(9);
const USDC = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";

/** A paid response: its body and headers by lower-case name. */
type Paid = { status: number; body: unknown; header: (name: string) => string | undefined };

const ofFetch = async (response: Response): Promise<Paid> => ({
  status: response.status,
  body: await response.json(),
  header: (name) => response.headers.get(name) ?? undefined,
});
const ofAxios = ({ status, data, headers }: { status: number; data: unknown; headers: object }): Paid => ({
  status,
  body: data,
  header: (name) => Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] as string | undefined,
});

describe("x402 clients on the chain id of base-sepolia, with a token at USDC's address", () => {
  let shop: Shop;
  let v1Wallet: WalletClient;
  beforeAll(async () => {
    shop = await openShop({ chainId: baseSepolia.id });
    await shop.fund(payer.address, 1_000_000_000n);
    v1Wallet = createWalletClient({ account: payer, chain: baseSepolia, transport: http(shop.chain.rpcUrl) });
  });
  afterAll(() => shop?.close());

  const balances = async () => [await shop.balanceOf(payer.address), await shop.balanceOf(payee)] as const;
  /** Makes one purchase, which must cost exactly the price. */
  async function bought(purchase: () => Promise<Paid>): Promise<Paid> {
    const before = await balances();
    const paid = await purchase();
    expect(paid.status).toBe(200);
    expect(paid.body).toMatchObject({ address: wallet, chains: ["base"] });
    expect(await balances()).toEqual([before[0] - PRICE, before[1] + PRICE]);
    return paid;
  }
  const settled = { success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) };

  it("get a body of version 1 and a header of version 2 with the same terms", async () => {
    const response = await fetch(shop.url + path);
    expect(response.status).toBe(402);
    const terms = { scheme: "exact", asset: USDC, payTo: payee.toLowerCase(), maxTimeoutSeconds: 300 };
    const extra = { name: "USDC", version: "2" };
    const required = askedFor(response);
    expect(required).toMatchObject({
      x402Version: 2,
      accepts: [{ ...terms, extra, network: "eip155:84532", amount: String(PRICE) }],
    });
    expect(await response.json()).toEqual({
      error: "Payment required",
      code: "payment_required",
      x402Version: 1,
      accepts: [
        {
          ...{ ...terms, extra, network: "base-sepolia", maxAmountRequired: String(PRICE) },
          resource: `${shop.url}/portfolio`,
          description: required.resource?.description,
          mimeType: "application/json",
          outputSchema: { input: { type: "http", method: "GET" } },
        },
      ],
    });
  });

  it("pay: @x402/fetch", async () => {
    const client = new x402Client().register("eip155:*", new ExactEvmScheme(payer));
    const paid = await bought(async () => ofFetch(await wrapFetchWithPayment(fetch, client)(shop.url + path)));
    expect(decodePaymentResponseHeader(paid.header("payment-response") ?? "")).toMatchObject({
      ...settled,
      network: "eip155:84532",
    });
    expect(paid.header("x-payment-response")).toBeUndefined();
  });

  it("pay: @x402/axios", async () => {
    const client = new AxiosClient().register("eip155:*", new ExactEvmScheme(payer) as never);
    const paid = await bought(async () =>
      ofAxios(await wrapAxiosWithPayment(axios.create(), client).get(shop.url + path)),
    );
    expect(decodePaymentResponseHeader(paid.header("payment-response") ?? "")).toMatchObject({
      ...settled,
      network: "eip155:84532",
    });
  });

  it("pay: x402-fetch of version 1", async () => {
    const paid = await bought(async () => ofFetch(await wrapFetchV1(fetch, v1Wallet as never)(shop.url + path)));
    const header = paid.header("x-payment-response") ?? "";
    expect(decodeFetchResponse(header)).toMatchObject({ ...settled, network: "base-sepolia" });
    expect(decodePaymentResponseHeader(paid.header("payment-response") ?? "")).toMatchObject(settled);
  });

  it("pay: x402-axios of version 1", async () => {
    const client = withPaymentInterceptor(axios.create(), v1Wallet as never);
    const paid = await bought(async () => ofAxios(await client.get(shop.url + path)));
    const header = paid.header("x-payment-response") ?? "";
    expect(decodeXPaymentResponse(header)).toMatchObject({ ...settled, network: "base-sepolia" });
  });

  const pay = (headers: Record<string, string>, target = path) => fetch(shop.url + target, { headers });

  it.each(["first as version 1", "first as version 2"])(
    "pay once for one authorization in both versions, %s",
    async (first) => {
      const { header, version1 } = await sign(payer, askedFor(await fetch(shop.url + path)));
      const both: Record<string, string>[] = [{ "x-payment": version1 }, { "payment-signature": header }];
      const [one, other] = first === "first as version 1" ? both : both.reverse();
      const before = await balances();
      const response = await pay(one ?? {});
      expect(response.status).toBe(200);
      const runs = shop.state.runs;
      const replay = await pay(other ?? {});
      expect(replay.status).toBe(200);
      expect(await replay.text()).toBe(await response.text());
      expect(receiptOf(replay)).toEqual(receiptOf(response));
      expect(shop.state.runs).toBe(runs);
      const elsewhere = await pay(other ?? {}, path.replace("chains=base", "chains=ethereum"));
      expect(elsewhere.status).toBe(402);
      expect(await balances()).toEqual([before[0] - PRICE, before[1] + PRICE]);
    },
  );

  it("pay once for one authorization in both versions at the same time", async () => {
    const { header, version1 } = await sign(payer, askedFor(await fetch(shop.url + path)));
    const before = await balances();
    const release = shop.hold();
    const sent = [pay({ "x-payment": version1 }), pay({ "payment-signature": header })];
    // The one that comes second is told to retry.
    expect((await Promise.race(sent)).status).toBe(409);
    release();
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409]);
    expect((await buy(shop.url + path, header)).status).toBe(200);
    expect(await balances()).toEqual([before[0] - PRICE, before[1] + PRICE]);
  });

  it("of version 1 get the reason of a rejection in the body, with the terms of version 1", async () => {
    const { version1 } = await sign(actor(17), askedFor(await fetch(shop.url + path)));
    const response = await pay({ "x-payment": version1 });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      ...{ code: "payment_rejected", x402Version: 1, accepts: [{ network: "base-sepolia" }] },
      error: "The payment is not accepted: the payer does not have enough of the token",
    });
  });
});
