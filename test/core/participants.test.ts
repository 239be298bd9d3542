import { type Address, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quoteHash } from "../../common/quote-hash";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { differences } from "../support/agreement";
import { executionHashOf } from "../support/execution-hash";
import { type Stack, startStack } from "../support/stack";

const registry = "CommerceRegistry";
const FAR_FUTURE = 2n ** 40n;
const [owner, buyer, payout, facilitator, other] = [actor(1), actor(2), actor(3), actor(4), actor(5)];

type Account = typeof owner;

describe("the counterparties of participants", () => {
  let stack: Stack;
  let merchants = 0n;
  let nonce = 0n;

  beforeAll(async () => {
    stack = await startStack();
    await stack.write(facilitator, registry, "registerFacilitator", [facilitator.address, "facilitator", zeroHash]);
  });
  afterAll(() => stack?.stop());

  /** Registers a merchant with a service of the same id. */
  const newMerchant = async () => {
    await stack.write(owner, registry, "registerMerchant", [payout.address, "shop", hashOf("shop")]);
    merchants += 1n;
    const service = [merchants, "thing", "uri", zeroHash, zeroHash] as const;
    await stack.write(owner, registry, "registerService", service);
    return merchants;
  };

  type Terms = { agent?: Account; token?: Address; isFacilitated?: boolean };
  /** Records a receipt of 100 with the result hash that `resultOf` returns for the quote. */
  const pay = async (
    merchantId: bigint,
    { agent = buyer, token = zeroAddress, isFacilitated = false }: Terms = {},
    resultOf = (_: `0x${string}`) => zeroHash as `0x${string}`,
  ) => {
    const quote = {
      ...{ merchantId, serviceNumericId: merchantId, agent: agent.address, token, amount: 100n, paymentNonce: ++nonce },
      ...{ facilitator: isFacilitated ? facilitator.address : zeroAddress, paymentRail: isFacilitated ? 3 : 0 },
      ...{ expiresAt: FAR_FUTURE, resourceHash: zeroHash, termsHash: zeroHash, x402PayloadHash: zeroHash },
    };
    await stack.write(owner, registry, "commitQuote", [quote]);
    const hash = quoteHash(stack.client.chain.id, stack.contracts.CommerceRegistry, quote);
    await stack.write(isFacilitated ? facilitator : owner, registry, "recordReceipt", [hash, resultOf(hash)]);
  };

  const totalOf = async (merchantId: bigint, metric: "receipts" | "self_receipts" = "receipts") => {
    const rows = await stack.rows("participantTotal");
    const found = rows.filter((row) => row.kind === "merchant" && row.key === String(merchantId));
    return found
      .filter((row) => row.metric === metric)
      .map(({ count, amount, counterparties, credit }) => ({ count, amount, counterparties, credit }));
  };
  const pairsOf = async (merchantId: bigint) =>
    (await stack.rows("counterparty")).filter((row) => row.kind === "merchant" && row.key === String(merchantId));

  it("give at most 30 of credit each, however many receipts they have", async () => {
    const merchantId = await newMerchant();
    for (let receipt = 0; receipt < 7; receipt++) await pay(merchantId, { isFacilitated: true });
    expect(await totalOf(merchantId)).toEqual([{ count: 7, amount: "700", counterparties: 1, credit: 30 }]);
    await pay(merchantId, { agent: other });
    expect(await totalOf(merchantId)).toEqual([{ count: 8, amount: "800", counterparties: 2, credit: 31 }]);
  });

  it("are counted apart in each token", async () => {
    const merchantId = await newMerchant();
    await pay(merchantId);
    await pay(merchantId, { token: stack.contracts.TestDollar });
    const one = { count: 1, amount: "100", counterparties: 1, credit: 1 };
    expect(await totalOf(merchantId)).toEqual([one, one]);
  });

  it.each([
    ["owner", owner],
    ["payout address", payout],
  ])("give nothing if they are the merchant's own %s", async (_, agent) => {
    const merchantId = await newMerchant();
    await pay(merchantId, { agent, isFacilitated: true });
    expect(await totalOf(merchantId)).toEqual([{ count: 1, amount: "0", counterparties: 0, credit: 0 }]);
    expect(await totalOf(merchantId, "self_receipts")).toEqual([
      { count: 1, amount: "100", counterparties: 0, credit: 0 },
    ]);
  });

  it("give nothing any more once they are the payout address, and neither after it changes again", async () => {
    const merchantId = await newMerchant();
    await pay(merchantId, { isFacilitated: true });
    expect(await totalOf(merchantId)).toMatchObject([{ count: 1, counterparties: 1, credit: 6 }]);
    const payTo = (account: Account) =>
      stack.write(owner, registry, "updateMerchant", [merchantId, account.address, "shop", zeroHash, true]);
    await payTo(buyer);
    expect(await totalOf(merchantId)).toMatchObject([{ count: 1, counterparties: 1, credit: 6 }]);
    await pay(merchantId, { isFacilitated: true });
    expect(await totalOf(merchantId)).toMatchObject([{ count: 2, counterparties: 0, credit: 0 }]);
    await payTo(payout);
    await pay(merchantId, { isFacilitated: true });
    expect(await totalOf(merchantId)).toMatchObject([{ count: 3, counterparties: 0, credit: 0 }]);
    expect(await totalOf(merchantId, "self_receipts")).toMatchObject([{ count: 1, amount: "100" }]);
    expect(await pairsOf(merchantId)).toMatchObject([{ facilitated: 3, isSelf: true }]);
  });

  /** A receipt whose settlement is executed after it. */
  const payLater = async (merchantId: bigint, terms: Terms) => {
    const line = { kind: 0, recipient: payout.address, token: zeroAddress, amount: 100n, metadataHash: zeroHash };
    let instruction = {
      ...{ quoteHash: zeroHash as `0x${string}`, settlementPlanHash: hashOf("plan"), payer: other.address },
      ...{ token: zeroAddress, grossAmount: 100n, deadline: FAR_FUTURE, lines: [line] },
    };
    const { client, contracts } = stack;
    await pay(merchantId, terms, (hash) => {
      instruction = { ...instruction, quoteHash: hash };
      return executionHashOf(client.chain.id, contracts.SettlementAdapter, instruction);
    });
    return () => stack.write(other, "SettlementAdapter", "executeSettlement", [instruction], instruction.grossAmount);
  };

  it.each([
    ["claim", false, 1],
    ["facilitator", true, 6],
  ])("give the credit of a settlement once one proves a receipt that was a %s", async (_, isFacilitated, before) => {
    const merchantId = await newMerchant();
    const settle = await payLater(merchantId, { isFacilitated });
    const one = { count: 1, amount: "100", counterparties: 1 };
    expect(await totalOf(merchantId)).toEqual([{ ...one, credit: before }]);
    await settle();
    expect(await totalOf(merchantId)).toEqual([{ ...one, credit: 10 }]);
    expect(await pairsOf(merchantId)).toMatchObject([{ settlements: 1, facilitated: 0, claims: 0 }]);
    await settle();
    expect(await totalOf(merchantId)).toEqual([{ ...one, credit: 10 }]);
  });

  it("give nothing for a later settlement if they are the merchant's own", async () => {
    const merchantId = await newMerchant();
    const settle = await payLater(merchantId, { agent: payout });
    await settle();
    expect(await totalOf(merchantId)).toMatchObject([{ count: 1, counterparties: 0, credit: 0 }]);
    expect(await pairsOf(merchantId)).toMatchObject([{ settlements: 1, claims: 0, isSelf: true }]);
  });

  it("agree with the chain, of all participants", async () => {
    expect(await differences(stack)).toEqual([]);
  });
});
