import { randomBytes } from "node:crypto";
import { decodePaymentSignatureHeader } from "@x402/core/http";
import { sql } from "drizzle-orm";
import {
  type Address,
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  parseAbi,
  serializeErc6492Signature,
} from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { transferProblem } from "../../../api/payments/chain";
import { readPayment } from "../../../api/payments/payload";
import bytecode from "../../../contracts/bytecode.json";
import { actor } from "../../../stack/local/chain";
import { askedFor, type Changes, sign } from "../../support/x402/payer";
import { openShop, PRICE, payee, type Shop } from "../../support/x402/shop";

const path = "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8&chains=local";
const [payer, stranger] = [actor(9), actor(16)];
const NOT_SIGNED = "The payment is not accepted: its signature is not the payer's";

describe("payments that the payer's key did not sign", () => {
  let shop: Shop;
  /** A gateway that takes the client's address from X-Forwarded-For. */
  let url: string;
  beforeAll(async () => {
    shop = await openShop();
    await shop.fund(payer.address, 1_000_000_000n);
    url = await shop.openGateway({ trustProxy: true });
    await shop.db().execute(sql`CREATE TABLE claims (nonce text)`);
    await shop.db().execute(sql`CREATE FUNCTION record_claim() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO public.claims VALUES (NEW.nonce); RETURN NULL; END'`);
    await shop.db().execute(sql`CREATE TRIGGER record_claim AFTER INSERT ON offchain.payment
      FOR EACH ROW EXECUTE FUNCTION record_claim()`);
  });
  afterAll(() => shop?.close());
  beforeEach(() => {
    Object.assign(shop.state, { runs: 0, failing: false, takesMs: 0 });
    Object.assign(shop.facilitator.faults, { verify: [], settle: [] });
  });

  const pay = (header: string, client = "192.0.2.1", gateway = url) =>
    fetch(gateway + path, { headers: { "payment-signature": header, "x-forwarded-for": client } });
  const signed = async (changes?: Changes) => sign(payer, askedFor(await fetch(url + path)), changes);
  const several = (count: number, changes?: Changes) =>
    Promise.all(Array.from({ length: count }, () => signed(changes)));
  const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
  /** The number of claims that were ever inserted, including released ones. */
  const claims = async () => {
    const { rows } = (await shop.db().execute(sql`SELECT count(*)::int AS count FROM claims`)) as never as {
      rows: [{ count: number }];
    };
    return rows[0].count;
  };

  it("are rejected without a claim or a request to the facilitator, 50 at a time", async () => {
    const wrong = await several(50, { signer: stranger });
    const honest = await signed();
    const before = { claims: await claims(), verify: shop.facilitator.calls.verify };
    const paying = wrong.map(({ header }) => pay(header));
    expect((await pay(honest.header, "192.0.2.2")).status).toBe(200);
    const responses = await Promise.all(paying);
    // One client may have 40 payments in progress, and each may wait 5 s.
    for (const { status } of responses) expect([402, 429, 503]).toContain(status);
    for (const response of responses.filter(({ status }) => status === 402)) {
      expect(await errorOf(response)).toBe(NOT_SIGNED);
      expect(response.headers.has("payment-required")).toBe(true);
    }
    expect(await claims()).toBe(before.claims + 1);
    expect(shop.facilitator.calls.verify).toBe(before.verify + 1);
    expect(shop.state.runs).toBe(1);
  });

  it("need no request at all if they don't pay these terms", async () => {
    const now = Math.floor(Date.now() / 1000);
    const before = { ...shop.requests, claims: await claims(), verify: shop.facilitator.calls.verify };
    for (const changes of [
      { to: stranger.address },
      { value: "1" },
      { validBefore: now - 1 },
      { validAfter: now + 100 },
    ])
      expect((await pay((await signed({ ...changes, signer: stranger })).header)).status).toBe(402);
    expect({ ...shop.requests, claims: await claims(), verify: shop.facilitator.calls.verify }).toEqual(before);
  });

  it("are accepted from a contract that accepts the signature (ERC-1271)", async () => {
    const from = shop.contracts.PolicyAccount;
    await shop.fund(from, PRICE);
    const before = await shop.balanceOf(payee);
    // The account's signer is actor 1.
    expect((await pay((await signed({ from, signer: actor(1) })).header)).status).toBe(200);
    expect([await shop.balanceOf(from), (await shop.balanceOf(payee)) - before]).toEqual([0n, PRICE]);
    const response = await pay((await signed({ from, signer: stranger })).header);
    expect([response.status, await errorOf(response)]).toEqual([402, NOT_SIGNED]);
  });

  describe("with a signature in an ERC-6492 wrapper", () => {
    /** Anvil has the deterministic deployer of CREATE2. Its input is a salt and the code of the contract. */
    const deployer = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
    const salt: Hex = `0x${"64".repeat(32)}`;
    const initCode = () =>
      encodeDeployData({
        abi: parseAbi(["constructor(address signer, address policyModule)"]),
        bytecode: bytecode.PolicyAccount as Hex,
        args: [actor(1).address, shop.contracts.PolicyModule],
      });
    const accountOf = () => getContractAddress({ from: deployer, opcode: "CREATE2", salt, bytecode: initCode() });
    /** The payment of an account, whose signer is actor 1. */
    async function signedBy(from: Address): Promise<Changes> {
      const nonce: Hex = `0x${randomBytes(32).toString("hex")}`;
      const times = { validAfter: 0, validBefore: Math.floor(Date.now() / 1000) + 300 };
      const { header } = await signed({ ...times, from, nonce, signer: actor(1) });
      const { payload } = decodePaymentSignatureHeader(header);
      const data = concat([salt, initCode()]);
      const signature = serializeErc6492Signature({ address: deployer, data, signature: payload.signature as Hex });
      return { ...times, from, nonce, signature };
    }

    it("are rejected for an account that is not deployed, with what to do", async () => {
      const from = accountOf();
      await shop.fund(from, PRICE);
      const response = await pay((await signed(await signedBy(from))).header);
      expect([response.status, await errorOf(response)]).toEqual([
        402,
        "The payment is not accepted: the payer's account is not deployed, and the facilitator does not deploy it; deploy it first",
      ]);
      expect(await shop.balanceOf(from)).toBe(PRICE);
    });

    it("are accepted once the account is deployed", async () => {
      const from = accountOf();
      const hash = await shop.chain.client.sendTransaction({
        account: actor(0),
        to: deployer,
        data: concat([salt, initCode()]),
        chain: null,
      });
      await shop.chain.client.waitForTransactionReceipt({ hash });
      const { header } = await signed(await signedBy(from));
      const terms = askedFor(await fetch(url + path)).accepts[0];
      const payment = terms && readPayment((name) => (name === "payment-signature" ? header : undefined), terms);
      expect(payment && (await transferProblem(shop.chain.client, payment, "rejected"))).toBeUndefined();
      expect((await pay(header)).status).toBe(200);
      expect(await shop.balanceOf(from)).toBe(0n);
    });
  });

  it("are rejected before a claim if no contract accepts the signature", async () => {
    const before = { claims: await claims(), verify: shop.facilitator.calls.verify };
    const erc6492: Hex = `0x${"00".repeat(96)}${"6492".repeat(16)}`;
    for (const changes of [
      { signature: "0x1234" },
      { signature: erc6492 },
      { from: shop.contracts.PolicyAccount, signer: stranger },
      { from: shop.contracts.PolicyAccount, signature: erc6492 },
    ] satisfies Changes[]) {
      const response = await pay((await signed(changes)).header);
      expect([response.status, await errorOf(response)]).toEqual([402, NOT_SIGNED]);
    }
    expect({ claims: await claims(), verify: shop.facilitator.calls.verify }).toEqual(before);
  });

  it("of contracts wait for each other, two per client, and don't delay payments that a key signed", async () => {
    const from = shop.contracts.PolicyAccount;
    // Signed, but the account has no funds.
    const wrong = await several(10, { from, signer: actor(1) });
    const before = { claims: await claims(), verify: shop.facilitator.calls.verify };
    shop.facilitator.faults.verify.push("time out", "time out");
    const paying = wrong.map(({ header }) => pay(header));
    await expect.poll(() => shop.facilitator.calls.verify).toBe(before.verify + 2);
    expect(await claims()).toBe(before.claims + 2);
    // Even of the same client.
    for (const client of ["192.0.2.1", "192.0.2.2"])
      expect((await pay((await signed()).header, client)).status).toBe(200);
    expect(await claims()).toBe(before.claims + 4);
    for (const { status } of await Promise.all(paying)) expect([402, 503]).toContain(status);
  });

  it("stop a client's payments after the configured number per minute, before any work", async () => {
    const limited = await shop.openGateway({ trustProxy: true, rejectedPaymentsPerMinute: 5 });
    let rejected = 0;
    let response = new Response();
    // At the turn of a minute the count starts again.
    for (; rejected <= 10; rejected++) {
      response = await pay((await signed({ signer: stranger })).header, "192.0.2.1", limited);
      if (response.status !== 402) break;
    }
    expect([response.status, rejected >= 5, rejected <= 10]).toEqual([429, true, true]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(response)).toMatch(
      /^5 payments of this client were rejected in a minute.*nothing was charged/,
    );
    expect((await pay((await signed()).header, "192.0.2.2", limited)).status).toBe(200);
  });
});

describe("payments of one client", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
    await shop.fund(payer.address, 1_000_000_000n);
  });
  afterAll(() => shop?.close());

  it("leave room for those of others: 8 of 16 are processed at once", async () => {
    const url = await shop.openGateway({ trustProxy: true });
    const pay = async (client: string) => {
      const { header } = await sign(payer, askedFor(await fetch(url + path)));
      return fetch(url + path, { headers: { "payment-signature": header, "x-forwarded-for": client } });
    };
    const release = shop.hold();
    const paying = Array.from({ length: 20 }, () => pay("192.0.2.1"));
    await expect.poll(() => shop.state.runs).toBe(8);
    paying.push(pay("192.0.2.2"));
    await expect.poll(() => shop.state.runs).toBe(9);
    release();
    const statuses = (await Promise.all(paying)).map(({ status }) => status);
    expect(statuses.at(-1)).toBe(200);
    // Those that waited too long for a permit were not charged.
    for (const status of statuses) expect([200, 503]).toContain(status);
  });
});
