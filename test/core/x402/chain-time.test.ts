import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../../stack/local/chain";
import { askedFor, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const payer = actor(9);
const HOUR = 3_600;

describe.each([
  {
    title: "a payment network whose newest block is two hours old",
    startTime: Math.floor(Date.now() / 1000) - 2 * HOUR,
    code: "invalid_exact_evm_payload_authorization_valid_after",
    sentence:
      /^The payment is not accepted: on the payment network it is not valid yet\. Its newest block has the time \S+Z, and the payment is valid after \S+Z; wait for a newer block, or sign an earlier validAfter$/,
  },
  {
    title: "a payment network that is two hours ahead",
    startTime: Math.floor(Date.now() / 1000) + 2 * HOUR,
    code: "invalid_exact_evm_payload_authorization_valid_before",
    sentence:
      /^The payment is not accepted: on the payment network it has expired\. Its newest block has the time \S+Z, and the payment is valid before \S+Z; sign a later validBefore$/,
  },
])("$title", ({ startTime, code, sentence }) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ startTime });
    await shop.fund(payer.address, 1_000_000_000n);
  });
  afterAll(() => shop?.close());

  const pay = async (changes = {}) => {
    const { header } = await sign(payer, askedFor(await fetch(shop.url + path)), changes);
    return fetch(shop.url + path, { headers: { "payment-signature": header } });
  };

  it("is named as the reason why a payment is rejected, and nothing is charged", async () => {
    const response = await pay();
    expect([response.status, askedFor(response).error]).toEqual([402, code]);
    expect(((await response.json()) as { error: string }).error).toMatch(sentence);
    expect([shop.state.runs, await shop.balanceOf(payee)]).toEqual([0, 0n]);
  });

  it("accepts a payment that is valid at its time", async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await pay({ validAfter: 0, validBefore: now + 4 * HOUR })).status).toBe(200);
    expect(await shop.balanceOf(payee)).toBe(PRICE);
  });
});
