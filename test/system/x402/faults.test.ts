import { eq, sql } from "drizzle-orm";
import { type Hex, parseSignature } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { payment } from "../../../api/offchain/tables";
import { createPaymentRecords } from "../../../api/payments/records";
import { actor } from "../../../stack/local/chain";
import type { Fault } from "../../support/x402/facilitator-server";
import { askedFor, receiptOf, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const payer = actor(9);
const past = new Date(0);

describe("faults during a payment", () => {
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

  const pay = (header: string, signal?: AbortSignal) =>
    fetch(shop.url + path, { headers: { "payment-signature": header }, ...(signal && { signal }) });
  const signed = async () => sign(payer, askedFor(await fetch(shop.url + path)));
  const rowOf = async (nonce: Hex) => (await shop.payments()).find((row) => row.nonce === nonce);
  const change = (nonce: Hex, values: Partial<typeof payment.$inferInsert>) =>
    shop.db().update(payment).set(values).where(eq(payment.nonce, nonce));
  /** The amount that the payee received during an action. */
  async function paid(act: () => Promise<unknown>): Promise<bigint> {
    const before = await shop.balanceOf(payee);
    await act();
    return (await shop.balanceOf(payee)) - before;
  }
  /** A 503 with the code of a request that was not charged, or of one that may be. */
  async function expectLater(response: Response, code = "unavailable"): Promise<void> {
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(response.headers.has("payment-required")).toBe(false);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code });
    expect(JSON.stringify([...response.headers]) + text).not.toContain("secret");
  }

  it("facilitator unavailable at the start: the gateway still returns 402, and accepts payments once it is back", async () => {
    const header = await shop.facilitator.whileDown(async () => {
      const url = await shop.openGateway();
      const response = await fetch(url + path);
      expect(response.status).toBe(402);
      const { header } = await sign(payer, askedFor(response));
      await expectLater(await fetch(url + path, { headers: { "payment-signature": header } }));
      return header;
    });
    expect(shop.state.runs).toBe(0);
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(PRICE);
  });

  it.each<Fault>([
    "status 500",
    "not JSON",
    "disconnect before",
    "time out",
    "rejects the signature",
    "can't simulate",
  ])("facilitator fault in verify (%s): nothing is charged, and the payment can be used later", async (fault) => {
    const { header, nonce } = await signed();
    shop.facilitator.faults.verify.push(fault);
    expect(await paid(async () => expectLater(await pay(header)))).toBe(0n);
    expect([shop.state.runs, await rowOf(nonce)]).toEqual([0, undefined]);
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(PRICE);
  });

  it("the database fails once the payment is settled: nothing is delivered before the settlement is recorded", async () => {
    const { header, nonce } = await signed();
    await shop.db().execute(sql`
      CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    await shop.db().execute(sql`
      CREATE TRIGGER fail BEFORE UPDATE ON offchain.payment FOR EACH ROW
        WHEN (NEW.state = 'SETTLED') EXECUTE FUNCTION public.fail()`);
    expect(await paid(async () => expectLater(await pay(header), "payment_unknown"))).toBe(PRICE);
    // The transfer is found on chain, and can't be recorded either.
    expect(await paid(async () => expectLater(await pay(header), "payment_unknown"))).toBe(0n);
    expect(await rowOf(nonce)).toMatchObject({ state: "SETTLING", transaction: null });
    await shop.db().execute(sql`DROP FUNCTION public.fail() CASCADE`);
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(0n);
    expect(await rowOf(nonce)).toMatchObject({ state: "SETTLED", transaction: expect.any(String) });
    expect(shop.state.runs).toBe(1);
  });

  const settleFaults: Fault[] = [
    ...(["status 500", "not JSON", "disconnect before", "time out", "unknown reason"] as const),
    // Its node had the transfer in a block that a reorg has removed.
    "says that it was used",
  ];
  it.each(settleFaults)(
    "facilitator fault in settle (%s): the payment is kept, and a retry settles it once",
    async (fault) => {
      const { header, nonce } = await signed();
      shop.facilitator.faults.settle.push(fault);
      expect(await paid(async () => expectLater(await pay(header), "payment_unknown"))).toBe(0n);
      expect(await rowOf(nonce)).toMatchObject({ state: "SETTLING", transaction: null });
      expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(PRICE);
      expect(await rowOf(nonce)).toMatchObject({ state: "SETTLED" });
      expect(shop.state.runs).toBe(1);
    },
  );

  it("an unknown outcome can be asked again, as the documentation says", async () => {
    const { header, nonce } = await signed();
    const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];
    shop.facilitator.faults.settle.push("status 500");
    await expectLater(await pay(header), "payment_unknown");
    // Another request with the payment is rejected, and the payment is kept for its own.
    const other = { headers: { "payment-signature": header } };
    expect(await codeOf(await fetch(`${shop.url}/portfolio?address=${payee}&chains=local`, other))).toEqual([
      402,
      "payment_rejected",
    ]);
    // While the settlement is in progress, the same request with the same header is a 409, and then a 200.
    const settled = shop.facilitator.calls.settle;
    const release = shop.facilitator.holdSettlements();
    const again = pay(header);
    await expect.poll(() => shop.facilitator.calls.settle, { interval: 5 }).toBe(settled + 1);
    const early = await pay(header);
    expect([early.headers.get("retry-after"), await codeOf(early)]).toEqual(["1", [409, "in_progress"]]);
    release();
    const response = await again;
    expect([response.status, receiptOf(response).success]).toEqual([200, true]);
    const repeated = await pay(header);
    expect([repeated.status, receiptOf(repeated)]).toEqual([200, receiptOf(response)]);
    expect(await repeated.text()).toBe(await response.text());
    expect([shop.state.runs, (await rowOf(nonce))?.state]).toEqual([1, "SETTLED"]);
  });

  it("facilitator unavailable in settle: the payment is kept, and a retry settles it once", async () => {
    const { header } = await signed();
    const release = shop.hold();
    let lost = new Response();
    const paying = pay(header).then((response) => {
      lost = response;
    });
    await expect.poll(() => shop.state.runs).toBe(1);
    await shop.facilitator.whileDown(() => {
      release();
      return paying;
    });
    await expectLater(lost, "payment_unknown");
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(PRICE);
    expect(shop.state.runs).toBe(1);
  });

  it("facilitator disconnects after settling: the payment is found on chain", async () => {
    const { header } = await signed();
    shop.facilitator.faults.settle.push("disconnect after");
    let response = new Response();
    expect(
      await paid(async () => {
        response = await pay(header);
      }),
    ).toBe(PRICE);
    expect(response.status).toBe(200);
    const { status } = await shop.chain.client.getTransactionReceipt({ hash: receiptOf(response).transaction });
    expect(status).toBe("success");
  });

  it("client disconnects before the response: a retry returns the paid snapshot", async () => {
    const { header, nonce } = await signed();
    const client = new AbortController();
    const settled = shop.facilitator.calls.settle;
    const release = shop.facilitator.holdSettlements();
    expect(
      await paid(async () => {
        const gone = pay(header, client.signal).catch(() => "gone");
        await expect.poll(() => shop.facilitator.calls.settle, { interval: 5 }).toBe(settled + 1);
        client.abort();
        expect(await gone).toBe("gone");
        release();
        await expect.poll(async () => (await rowOf(nonce))?.state).toBe("SETTLED");
      }),
    ).toBe(PRICE);
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(0n);
    expect(shop.state.runs).toBe(1);
  });

  it("process killed before settling: its lease expires", async () => {
    const { header, nonce } = await signed();
    const key = { network: "eip155:31337", asset: shop.contracts.TestDollar.toLowerCase(), nonce };
    const claim = {
      ...key,
      payer: payer.address.toLowerCase(),
      hash: "0x",
      request: "",
      payload: "{}",
      validBefore: 2n ** 200n,
    };
    expect(await createPaymentRecords(async () => shop.db(), claim.network).claim(claim)).toHaveProperty("holder");
    const waiting = await pay(header);
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([409, "1"]);
    await change(nonce, { leaseUntil: past });
    expect(await paid(async () => expect((await pay(header)).status).toBe(200))).toBe(PRICE);
  });

  it("process killed after settling: the payment is found on chain, even before its lease expires", async () => {
    const { header, nonce } = await signed();
    const bought = await (await pay(header)).text();
    await change(nonce, { state: "SETTLING", transaction: null, leaseUntil: new Date(Date.now() + 30_000) });
    const settled = shop.facilitator.calls.settle;
    expect(await paid(async () => expect(await (await pay(header)).text()).toBe(bought))).toBe(0n);
    expect([shop.facilitator.calls.settle, shop.state.runs]).toEqual([settled, 1]);
  });

  it("payment cancelled on chain before settlement: no snapshot is returned", async () => {
    const { header, nonce } = await signed();
    shop.facilitator.faults.settle.push("disconnect before");
    await expectLater(await pay(header), "payment_unknown");
    const signature = await payer.signTypedData({
      domain: { name: "Test Dollar", version: "1", chainId: 31337, verifyingContract: shop.contracts.TestDollar },
      types: {
        CancelAuthorization: [
          { name: "authorizer", type: "address" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "CancelAuthorization",
      message: { authorizer: payer.address, nonce },
    });
    const { v, r, s } = parseSignature(signature);
    await shop.write(actor(0), "TestDollar", "cancelAuthorization", [payer.address, nonce, Number(v), r, s]);
    const response = await pay(header);
    expect(response.status).toBe(402);
    expect(receiptOf(response)).toMatchObject({ success: false, errorReason: "invalid_exact_evm_nonce_already_used" });
  });

  it("payer uses the nonce for another transfer before settlement: no snapshot is returned", async () => {
    const required = askedFor(await fetch(shop.url + path));
    const { header, nonce } = await sign(payer, required);
    shop.facilitator.faults.settle.push("disconnect before");
    await expectLater(await pay(header), "payment_unknown");
    const elsewhere = await sign(payer, required, { nonce, to: payer.address });
    const { payload } = JSON.parse(Buffer.from(elsewhere.header, "base64").toString());
    const { from, to, value, validAfter, validBefore } = payload.authorization;
    const times = [BigInt(validAfter), BigInt(validBefore)] as const;
    await shop.write(actor(0), "TestDollar", "transferWithAuthorization", [
      ...([from, to, BigInt(value), ...times, nonce, payload.signature] as const),
    ]);
    const response = await pay(header);
    expect([response.status, receiptOf(response).success]).toEqual([402, false]);
  });

  it("payer without balance at settlement: no snapshot is returned, and the response has the reason", async () => {
    const poor = actor(15);
    await shop.fund(poor.address, PRICE);
    const { header } = await sign(poor, askedFor(await fetch(shop.url + path)));
    const release = shop.hold();
    const paying = pay(header);
    await expect.poll(() => shop.state.runs).toBe(1);
    await shop.write(poor, "TestDollar", "transfer", [payer.address, PRICE]);
    release();
    const response = await paying;
    expect(response.status).toBe(402);
    expect(receiptOf(response)).toMatchObject({ errorReason: "invalid_exact_evm_insufficient_balance" });
  });

  it("expired payments are deleted, but not before a reorg can no longer remove their transfer", async () => {
    const [settled, final, { header, nonce }] = [await signed(), await signed(), await signed()];
    for (const earlier of [settled, final]) expect((await pay(earlier.header)).status).toBe(200);
    await shop.db().update(payment).set({ expiresAt: past, state: "FINAL" });
    await change(settled.nonce, { state: "SETTLED", expiresAt: new Date(Date.now() - 3_600_000) });
    expect((await pay(header)).status).toBe(200);
    expect((await shop.payments()).map((row) => row.nonce).sort()).toEqual([settled.nonce, nonce].sort());
  });
});
