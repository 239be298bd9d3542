import { eq } from "drizzle-orm";
import { pino } from "pino";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payment } from "../../../api/offchain/tables";
import type { PaymentChain } from "../../../api/payments/chain";
import { createSettlementFollower } from "../../../api/payments/follow-settlements";
import { actor } from "../../../stack/local/chain";
import { askedFor, type Changes, receiptOf, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const payer = actor(9);
const past = new Date(0);

/** Runs an action the first time only. */
const once = (act: () => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => {
    done ??= act();
    return done;
  };
};

describe("a settlement that a reorg removes", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop({ minedMs: 3_000 });
    await shop.fund(payer.address, 1_000_000_000n);
    await shop.chain.client.mine({ blocks: 5 });
  });
  afterAll(() => shop?.close());

  const pay = (header: string) => fetch(shop.url + path, { headers: { "payment-signature": header } });
  /** Buys a snapshot. */
  async function bought(changes?: Changes) {
    const { header, nonce } = await sign(payer, askedFor(await fetch(shop.url + path)), changes);
    const response = await pay(header);
    expect(response.status).toBe(200);
    const { transaction } = receiptOf(response);
    return { header, nonce, transaction, body: await response.text() };
  }
  const rowOf = async (nonce: Hex) => (await shop.payments()).find((row) => row.nonce === nonce);
  const stateOf = async (nonce: Hex) => (await rowOf(nonce))?.state;
  const round = () => shop.follower.round();
  const reorg = (depth: number) => shop.chain.client.request({ method: "anvil_reorg", params: [depth, []] } as never);
  const received = () => shop.balanceOf(payee);
  const has = async (transaction: Hex) =>
    shop.chain.client.getTransactionReceipt({ hash: transaction }).then(
      () => true,
      () => false,
    );

  it("is found, recorded and settled again, once", async () => {
    const before = await received();
    const { header, nonce, transaction, body } = await bought();
    await round();
    expect(await rowOf(nonce)).toMatchObject({ state: "SETTLED", transaction, blockHash: expect.any(String) });
    await reorg(1);
    expect([await has(transaction), await received()]).toEqual([false, before]);

    await round();
    expect(await rowOf(nonce)).toMatchObject({ state: "REVERTED", transaction, blockHash: null });
    expect(shop.log()).toContain("a reorg removed the transfer of a payment; it will be settled again");
    const settled = shop.facilitator.calls.settle;
    await round();
    const row = await rowOf(nonce);
    expect(row?.state).toBe("SETTLED");
    expect(row?.transaction).not.toBe(transaction);
    expect(await received()).toBe(before + PRICE);
    for (let number = 0; number < 3; number++) await round();
    expect(await rowOf(nonce)).toMatchObject({ state: "SETTLED", blockHash: expect.any(String) });
    expect([shop.facilitator.calls.settle, await received()]).toEqual([settled + 1, before + PRICE]);
    const replayed = await pay(header);
    expect([await replayed.text(), receiptOf(replayed).transaction]).toEqual([body, row?.transaction]);
    expect(shop.follower.unpaid()).toBe(0);
  });

  it("is found even if the block was never seen, once a node had time to know the transaction", async () => {
    const before = await received();
    const { nonce } = await bought();
    await reorg(1);
    await round();
    expect(await stateOf(nonce)).toBe("SETTLED");
    await shop.db().update(payment).set({ leaseUntil: past }).where(eq(payment.nonce, nonce));
    await round();
    expect(await stateOf(nonce)).toBe("REVERTED");
    await round();
    expect([await stateOf(nonce), await received()]).toEqual(["SETTLED", before + PRICE]);
  });

  it("is settled again by the client's retry, if that comes first", async () => {
    const before = await received();
    const { header, nonce, body } = await bought();
    await round();
    await reorg(1);
    await round();
    expect(await stateOf(nonce)).toBe("REVERTED");
    const response = await pay(header);
    expect([response.status, await response.text()]).toEqual([200, body]);
    await round();
    expect([await stateOf(nonce), await received()]).toEqual(["SETTLED", before + PRICE]);
    expect(await has(receiptOf(response).transaction)).toBe(true);
  });

  it("is found in an earlier block than the newest one before the settlement", async () => {
    const { client } = shop.chain;
    const before = await received();
    const snapshot = await client.snapshot();
    const ancestor = await client.getBlockNumber();
    await client.mine({ blocks: 5 });
    const { header, nonce, transaction, body } = await bought();
    await round();
    const raw = await client.request({ method: "eth_getRawTransactionByHash", params: [transaction] } as never);
    await client.revert({ id: snapshot });
    await client.sendRawTransaction({ serializedTransaction: raw });
    await client.mine({ blocks: 7 });
    for (let number = 0; number < 3; number++) await round();
    expect(await rowOf(nonce)).toMatchObject({ state: "SETTLED", transaction, blockNumber: ancestor + 1n });
    expect(await received()).toBe(before + PRICE);
    const replayed = await pay(header);
    expect([replayed.status, await replayed.text()]).toEqual([200, body]);
  });

  it("of two payments removes only the newer one, if the older block stays", async () => {
    const older = await bought();
    const newer = await bought();
    await round();
    await reorg(1);
    await round();
    expect([await stateOf(older.nonce), await stateOf(newer.nonce)]).toEqual(["SETTLED", "REVERTED"]);
    expect((await rowOf(older.nonce))?.blockHash).not.toBeNull();
    await round();
    expect(await stateOf(newer.nonce)).toBe("SETTLED");
  });

  it("of a transaction that waits for its block is repeated, once the node does not have it, or can't include it", async () => {
    const { client } = shop.chain;
    const before = await received();
    const waiting = async () => {
      const { header, nonce } = await sign(payer, askedFor(await fetch(shop.url + path)));
      expect((await pay(header)).status).toBe(503);
      expect((await client.getTxpoolStatus()).pending).toBe(1);
      return { header, nonce };
    };
    const settles = ({ header }: { header: string }) =>
      expect.poll(async () => (await pay(header)).status, { interval: 500 }).toBe(200);
    await client.setAutomine(false);
    const dropped = await waiting();
    await client.request({ method: "anvil_dropAllTransactions", params: [] } as never);
    await client.setAutomine(true);
    await settles(dropped);

    // The next transaction of the facilitator waits when a reorg removes this one.
    await client.setAutomine(false);
    const behind = await waiting();
    await reorg(1);
    await client.setAutomine(true);
    await settles(behind);
    await shop.db().update(payment).set({ leaseUntil: past }).where(eq(payment.nonce, dropped.nonce));
    for (let number = 0; number < 3; number++) await round();
    expect([await stateOf(dropped.nonce), await stateOf(behind.nonce)]).toEqual(["SETTLED", "SETTLED"]);
    expect(await received()).toBe(before + 2n * PRICE);
  });

  it("costs a fixed number of requests per round while there is no reorg, however many payments are settled", async () => {
    for (let number = 0; number < 5; number++) await bought();
    await round();
    const before = { ...shop.requests };
    await round();
    const made = Object.entries(shop.requests).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
    // The newest block with a transfer, and the finalized block.
    expect(Object.fromEntries(made.filter(([, count]) => count > 0))).toEqual({ getChainId: 1, getBlock: 2 });
  });

  it("is retried while the facilitator fails", async () => {
    const before = await received();
    const { nonce } = await bought();
    await round();
    await reorg(1);
    await round();
    shop.facilitator.faults.settle.push("status 500", "disconnect before");
    for (let number = 0; number < 2; number++) {
      await round();
      expect([await stateOf(nonce), await received()]).toEqual(["REVERTED", before]);
    }
    await round();
    expect([await stateOf(nonce), await received()]).toEqual(["SETTLED", before + PRICE]);
  });

  /** A follower of payments of a network, through a node. It can't settle. */
  function followerOf(network: `eip155:${number}`, chain: PaymentChain) {
    const asset = { address: shop.contracts.TestDollar, name: "Test Dollar", version: "1", decimals: 6 };
    const terms = { network, payTo: payee, price: "$0.01", asset };
    return createSettlementFollower({ terms, chain, facilitator: {} as never }, async () => shop.db(), {} as never);
  }

  it("is found if the reorg happens while a newer transfer is looked up", async () => {
    const { client } = shop.chain;
    const facilitator = actor(19);
    const before = await received();
    const snapshot = await client.snapshot();
    const unused = await client.getTransactionCount({ address: facilitator.address });
    const older = await bought();
    await round();
    const newer = await bought();
    const raw = await client.request({ method: "eth_getRawTransactionByHash", params: [newer.transaction] } as never);
    /** Removes both transfers, and includes the newer one again, in a later block. */
    const reorgOnce = once(async () => {
      await client.revert({ id: snapshot });
      await client.sendTransaction({ account: facilitator, to: payee, value: 0n, nonce: unused });
      await client.mine({ blocks: 5 });
      await client.sendRawTransaction({ serializedTransaction: raw });
      // A node answers before it has mined the transaction.
      await client.waitForTransactionReceipt({ hash: newer.transaction, pollingInterval: 20 });
    });
    const getLogs: PaymentChain["getLogs"] = async (parameters) => {
      await reorgOnce();
      return client.getLogs(parameters);
    };
    await followerOf("eip155:31337", { ...client, getLogs }).round();
    expect(await rowOf(newer.nonce)).toMatchObject({ state: "SETTLED", blockHash: expect.any(String) });
    for (let number = 0; number < 3; number++) await round();
    const settled = { state: "SETTLED", blockHash: expect.any(String) };
    expect([await rowOf(older.nonce), await rowOf(newer.nonce)]).toMatchObject([settled, settled]);
    expect(await received()).toBe(before + 2n * PRICE);
  });

  it("is not assumed if the node serves another chain", async () => {
    const { nonce } = await bought();
    await round();
    await shop.db().update(payment).set({ network: "eip155:1" }).where(eq(payment.nonce, nonce));
    const follower = followerOf("eip155:1", shop.chain.client);
    await expect(follower.round()).rejects.toThrow(
      "The payment network is eip155:1, but X402_RPC_URL serves eip155:31337",
    );
    expect(await stateOf(nonce)).toBe("SETTLED");
  });

  it("is found also if the node has no finalized block, which is logged once", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    let hasFinality = false;
    const { client } = shop.chain;
    const getBlock: typeof client.getBlock = (parameters) =>
      parameters?.blockTag === "finalized" && !hasFinality
        ? Promise.reject(new Error("invalid block tag finalized"))
        : client.getBlock(parameters);
    const payments = { ...shop.offered, chain: { ...client, getBlock } as never };
    const follower = createSettlementFollower(payments, async () => shop.db(), log);
    const warnings = () => lines.filter((line) => line.includes("finalized block could not be read")).length;
    const { nonce } = await bought();
    for (let number = 0; number < 3; number++) await follower.round();
    expect([await stateOf(nonce), warnings()]).toEqual(["SETTLED", 1]);
    await reorg(1);
    await follower.round();
    expect([await stateOf(nonce), warnings()]).toEqual(["REVERTED", 1]);
    hasFinality = true;
    await follower.round();
    hasFinality = false;
    for (let number = 0; number < 2; number++) await follower.round();
    expect([await stateOf(nonce), warnings()]).toEqual(["SETTLED", 2]);
  });

  it("can no longer happen once the block is finalized: the row is deleted when it has expired", async () => {
    const { nonce } = await bought();
    await round();
    await shop.chain.client.mine({ blocks: 100 });
    await round();
    expect(await stateOf(nonce)).toBe("FINAL");
    await shop.db().update(payment).set({ expiresAt: past }).where(eq(payment.nonce, nonce));
    await bought();
    expect(await rowOf(nonce)).toBeUndefined();
  });

  // Last, because it moves the chain's time.
  it("of a payment that has expired meanwhile is recorded as unpaid and counted", async () => {
    const before = await received();
    const validBefore = Math.floor(Date.now() / 1000) + 300;
    const { nonce } = await bought({ validBefore });
    await round();
    await reorg(1);
    await shop.chain.client.setNextBlockTimestamp({ timestamp: BigInt(validBefore) });
    await shop.chain.client.mine({ blocks: 1 });
    await round();
    expect([await stateOf(nonce), shop.follower.unpaid()]).toEqual(["REVERTED", 0]);
    await round();
    expect(await rowOf(nonce)).toMatchObject({ state: "UNPAID", answer: null });
    expect([shop.follower.unpaid(), await received()]).toEqual([1, before]);
    expect(shop.log()).toContain("a reorg removed the transfer of a payment, and it expired unpaid");
    // The row stays until an operator deletes it.
    await round();
    expect(await stateOf(nonce)).toBe("UNPAID");
  });
});
