import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../../stack/local/chain";
import { askedFor, buy, receiptOf, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const PAYERS = 20;
const PAYMENTS_EACH = 10;

describe("200 concurrent paid requests from 20 payers", () => {
  let shop: Shop;
  const payers = Array.from({ length: PAYERS }, (_, number) => actor(200 + number));
  beforeAll(async () => {
    shop = await openShop();
    for (const { address } of payers) await shop.fund(address, PRICE * BigInt(PAYMENTS_EACH));
  });
  afterAll(() => shop?.close());

  it("are 200 settlements, none lost or duplicated, and every payer has paid the exact price", {
    timeout: 300_000,
  }, async () => {
    const required = askedFor(await fetch(shop.url + path));
    const signed = await Promise.all(
      payers.flatMap((payer) => Array.from({ length: PAYMENTS_EACH }, () => sign(payer, required))),
    );
    const responses = await Promise.all(signed.map(({ header }) => buy(shop.url + path, header)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map((response) => receiptOf(response).transaction)).size).toBe(PAYERS * PAYMENTS_EACH);
    // A request whose settlement failed with 503 was not charged, and runs again when it is repeated.
    expect(shop.state.runs).toBeGreaterThanOrEqual(PAYERS * PAYMENTS_EACH);
    expect(await shop.balanceOf(payee)).toBe(PRICE * BigInt(PAYERS * PAYMENTS_EACH));
    for (const { address } of payers) expect(await shop.balanceOf(address)).toBe(0n);
  });
});
