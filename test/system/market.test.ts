import { createWalletClient, erc20Abi, type Hex, http, publicActions, zeroHash } from "viem";
import { anvil } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commerceRegistryAbi } from "../../abis/index";
import {
  createIntentryClient,
  encryptPayload,
  generatePayloadKey,
  type IntentryClient,
  type PayloadKeyPair,
} from "../../client/src/index";
import { authorizationArguments, authorizationToJson, signAuthorization } from "../../client/src/market/authorization";
import {
  type Buyer,
  buyer,
  type MerchantOptions,
  merchant,
  type Purchase,
  type RunningMerchant,
  type SolverActivity,
  solver,
  type VerifiedQuote,
} from "../../client/src/market/index";
import { orderMessage } from "../../client/src/market/order-signature";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { intentsOfOwner, owner } from "../support/intents-of-owner";
import { startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";

const PRICE = 500_000n;
const [seller, settler, filler, shopper, attester] = [actor(10), actor(11), actor(12), actor(13), actor(14)];

describe("the parties of a market", () => {
  let stack: Stack;
  let intentry: IntentryClient;
  let shop: RunningMerchant;
  let key: PayloadKeyPair;
  let service: Purchase["service"];
  /** Changes the merchant's answers, as a dishonest one would. */
  let answer: (message: unknown) => Promise<unknown>;

  const walletOf = (account = shopper) =>
    createWalletClient({ account, chain: anvil, transport: http(stack.chain.rpcUrl) }).extend(publicActions);
  const buyerWith = (options: { updatesPolicies?: boolean } = {}): Promise<Buyer> =>
    buyer({ intentry, wallet: walletOf(), send: (_, message) => answer(message), ...options });
  const shopWith = (options: Partial<MerchantOptions> = {}): Promise<RunningMerchant> =>
    merchant({
      ...{ intentry, wallet: walletOf(seller), facilitator: walletOf(settler), url: "http://127.0.0.1:1/" },
      merchantId: 1n,
      token: stack.contracts.TestDollar,
      services: [{ serviceNumericId: 1n, description: "Greets." }],
      key: { ...key, id: "key-1" },
      price: () => PRICE,
      deliver: async ({ payload }) => ({ greeted: payload }),
      ...options,
    });
  /** A payment message without the payment, signed by the shopper or another account. */
  const signed = async (quoteHash: Hex, payloadHash: Hex, by = shopper) => {
    const order = orderMessage(stack.contracts.CommerceRegistry, anvil.id, { quoteHash, payloadHash });
    const signature = await by.signTypedData(order);
    return { type: "payment", quote_hash: quoteHash, payload_hash: payloadHash, signature };
  };
  /** A payment message without the payment, for an empty order. */
  const orderFor = async (quoteHash: Hex, forQuote = quoteHash) => {
    const sealed = await encryptPayload({}, { publicKey: key.publicKey, keyId: "key-1", quoteHash: forQuote });
    return signed(quoteHash, (await intentry.publishFulfillmentPayload(sealed)).payload_hash);
  };
  /** A payment message with the authorization for a quote. */
  const authorized = async ({ quote, quoteHash, payTo }: VerifiedQuote) => {
    const terms = { to: payTo, value: quote.amount, validBefore: quote.expiresAt, nonce: quoteHash };
    const authorization = await signAuthorization(walletOf(), quote.token, terms);
    const message = { ...(await orderFor(quoteHash)), authorization: authorizationToJson(authorization) };
    return { message, args: authorizationArguments(authorization) };
  };
  const balance = () => stack.read("TestDollar", "balanceOf", [shopper.address]);
  const purchase = (change: Partial<Purchase> = {}): Purchase => ({
    ...{ service, order: { name: "Ada" }, rail: "transfer", maxAmount: PRICE, token: stack.contracts.TestDollar },
    ...change,
  });

  beforeAll(async () => {
    stack = await startStack({ tokens: true });
    intentry = createIntentryClient({ url: stack.apiUrl });
    key = await generatePayloadKey();
    const about = await intentry.publishCatalog(JSON.stringify({ name: "Greetings", url: "http://127.0.0.1:1/" }));
    const reference = [about.uri, about.catalog_hash] as const;
    await stack.write(seller, "CommerceRegistry", "registerMerchant", [seller.address, ...reference]);
    await stack.write(seller, "CommerceRegistry", "registerService", [
      1n,
      "greeting",
      ...reference,
      hashOf("greeting"),
    ]);
    await stack.write(settler, "CommerceRegistry", "registerFacilitator", [settler.address, ...reference]);
    await stack.write(actor(0), "TestDollar", "mint", [shopper.address, 1_000_000_000n]);
    shop = await shopWith();
    service = { id: "1", merchant_id: "1" };
    await stack.indexed();
    const resolved = async () => (await intentry.services.get.query({ id: 1, include: "metadata" })).metadata?.state;
    await vi.waitFor(async () => expect(await resolved()).toBe("verified"), { timeout: 20_000 });
    answer = shop.handle;
  }, 120_000);
  afterAll(() => stack?.stop());

  it("trade: the order is delivered, and the receipt is on chain", async () => {
    answer = shop.handle;
    const receipt = await (await buyerWith({ updatesPolicies: true })).buy(purchase());
    expect(receipt).toMatchObject({ merchant_id: "1", amount: String(PRICE), payment_rail: 0 });
    const onChain = await stack.read("CommerceRegistry", "getReceipt", [BigInt(receipt.receipt_id)]);
    expect(onChain).toMatchObject({ quoteHash: receipt.quote_hash, fulfillmentHash: receipt.fulfillment_hash });
  });

  it.each<[string, Partial<Purchase>, RegExp]>([
    ["costs too much", { maxAmount: PRICE - 1n }, /is for 500000, more than 499999/],
    ["is in another token", { token: actor(0).address }, /is in another token/],
  ])("attack: a buyer rejects a quote that %s", async (_, change, message) => {
    answer = shop.handle;
    await expect((await buyerWith()).quote(purchase(change))).rejects.toMatchObject({
      code: "invalid_quote",
      message: expect.stringMatching(message),
    });
  });

  it("attack: a buyer rejects a quote of another request, and one that is not committed on chain", async () => {
    answer = shop.handle;
    const { request_hash } = await intentry.publishQuoteRequest(
      JSON.stringify({ merchant_id: "1", service_numeric_id: "1", agent: shopper.address, payment_rail: "transfer" }),
    );
    const { response_hash = "" } = await shop.handle({ type: "quote", request_hash });
    answer = async () => ({ response_hash });
    await expect((await buyerWith()).quote(purchase())).rejects.toThrow("The quote is for another request");

    answer = async (message) => {
      const { request_hash: hash } = message as { request_hash: Hex };
      const text = await intentry.documents.getQuoteResponse.query({ hash: response_hash });
      const response = JSON.parse(text) as { quote: object };
      const forged = JSON.stringify({ quote: { ...response.quote, resource_hash: hash, amount: "1" } });
      return { response_hash: (await intentry.publishQuoteResponse(forged)).response_hash };
    };
    await expect((await buyerWith()).quote(purchase())).rejects.toThrow("The quote is not committed on chain");
  });

  it("attack: a merchant accepts a transaction for one quote only, and no payment of less", async () => {
    answer = shop.handle;
    const { quote } = await buyerWith();
    const [one, two, three] = [await quote(purchase()), await quote(purchase()), await quote(purchase())];
    const transfer = async (amount: bigint) => {
      const args = [seller.address, amount] as const;
      const wallet = walletOf();
      const hash = await wallet.writeContract({
        abi: erc20Abi,
        address: one.quote.token,
        functionName: "transfer",
        args,
      });
      await stack.client.waitForTransactionReceipt({ hash });
      return hash;
    };
    const payment = async ({ quoteHash }: typeof one, transaction: Hex, forQuote = quoteHash) => ({
      ...(await orderFor(quoteHash, forQuote)),
      transaction,
    });
    const paid = await transfer(PRICE);
    await expect(shop.handle(await payment(one, paid, two.quoteHash))).rejects.toThrow(
      "The payload is for another quote",
    );
    const first = await shop.handle(await payment(one, paid));
    expect(await shop.handle(await payment(one, paid))).toEqual(first);
    await expect(shop.handle(await payment(two, paid))).rejects.toThrow("already pa");
    await expect(shop.handle(await payment(two, await transfer(PRICE - 1n)))).rejects.toThrow(
      "does not pay this quote",
    );
    const others = await stack.write(actor(0), "TestDollar", "mint", [seller.address, PRICE]);
    await expect(shop.handle(await payment(three, others.transactionHash))).rejects.toThrow("does not pay this quote");
  });

  it("attack: a merchant's facilitator settles only an authorization for the quote", async () => {
    answer = shop.handle;
    const { quote } = await buyerWith();
    const { quote: offered, quoteHash, payTo } = await quote(purchase({ rail: "x402" }));
    const sealed = await encryptPayload({}, { publicKey: key.publicKey, keyId: "key-1", quoteHash });
    const { payload_hash } = await intentry.publishFulfillmentPayload(sealed);
    const terms = { to: payTo, value: offered.amount, validBefore: offered.expiresAt, nonce: quoteHash };
    const send = async (change: Partial<typeof terms>) => {
      const authorization = await signAuthorization(walletOf(), offered.token, { ...terms, ...change });
      const message = await signed(quoteHash, payload_hash);
      return shop.handle({ ...message, authorization: authorizationToJson(authorization) });
    };
    for (const change of [{ to: shopper.address }, { value: PRICE - 1n }, { nonce: zeroHash }])
      await expect(send(change)).rejects.toThrow("The authorization does not pay this quote");
    const receipt = await send({});
    expect(receipt).toMatchObject({ receipt_id: expect.stringMatching(/^\d+$/) });
    expect(await send({})).toEqual(receipt);
  });

  it("attack: a transfer by authorization pays its own quote or another one, not both", async () => {
    answer = shop.handle;
    const { quote } = await buyerWith();
    const [own, other, third] = [
      await quote(purchase({ rail: "x402" })),
      await quote(purchase()),
      await quote(purchase({ rail: "x402" })),
    ];
    const { message, args } = await authorized(own);
    const { transactionHash } = await stack.write(attester, "TestDollar", "transferWithAuthorization", args);
    await shop.handle({ ...(await orderFor(other.quoteHash)), transaction: transactionHash });
    await expect(shop.handle(message)).rejects.toThrow("already pa");

    const { receipt_id = "" } = await shop.handle((await authorized(third)).message);
    const { resultHash } = await stack.read("CommerceRegistry", "getReceipt", [BigInt(receipt_id)]);
    const again = await quote(purchase());
    // At once: the index may not have the receipt yet.
    await expect(shop.handle({ ...(await orderFor(again.quoteHash)), transaction: resultHash })).rejects.toThrow(
      "already pays another quote",
    );
    // A restarted merchant waits for the index.
    const restarted = await shopWith();
    await expect(restarted.handle({ ...(await orderFor(again.quoteHash)), transaction: resultHash })).rejects.toThrow(
      "already paid another quote",
    );
  });

  it("attack: a merchant does not accept a transfer that is older than the quote", async () => {
    answer = shop.handle;
    const { transactionHash } = await stack.write(shopper, "TestDollar", "transfer", [seller.address, PRICE]);
    const { quoteHash } = await (await buyerWith()).quote(purchase());
    await expect(shop.handle({ ...(await orderFor(quoteHash)), transaction: transactionHash })).rejects.toThrow(
      "The transaction is older than the quote",
    );
  });

  it("attack: requests that arrive together don't commit a quote twice, which could then be settled twice", async () => {
    const request = { merchant_id: "1", service_numeric_id: "1", agent: shopper.address, payment_rail: "facilitator" };
    const { request_hash } = await intentry.publishQuoteRequest(JSON.stringify({ ...request, request_id: "together" }));
    const { block_number } = await intentry.status.ready.query();
    await Promise.all(Array.from({ length: 3 }, () => shop.handle({ type: "quote", request_hash })));
    const commits = await stack.client.getContractEvents({
      ...{ abi: commerceRegistryAbi, address: stack.contracts.CommerceRegistry, eventName: "QuoteCommitted" },
      fromBlock: BigInt(block_number ?? 0),
    });
    const hashes = commits.filter(({ args }) => args.resourceHash === request_hash).map(({ args }) => args.quoteHash);
    expect(hashes.length).toBeGreaterThan(0);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("a quote that is about to expire is neither paid nor settled: its receipt could not be recorded", async () => {
    const hasty = await shopWith({ quoteSeconds: 25 });
    answer = hasty.handle;
    const before = await balance();
    const { quote, pay } = await buyerWith();
    for (const rail of ["transfer", "x402"] as const)
      await expect(pay(await quote(purchase({ rail })), {})).rejects.toMatchObject({
        code: "invalid_quote",
        message: "The quote has expired, or expires in less than 30 seconds",
      });
    const { message } = await authorized(await quote(purchase({ rail: "facilitator" })));
    await expect(hasty.handle(message)).rejects.toThrow("expires in less than 30 seconds");
    expect(await balance()).toBe(before);
  });

  it("attack: a merchant rejects the order of another account for a paid quote", async () => {
    answer = shop.handle;
    const { quote } = await buyerWith();
    const { quote: offered, quoteHash, payTo } = await quote(purchase());
    const { transactionHash } = await stack.write(shopper, "TestDollar", "transfer", [payTo, offered.amount]);
    const sealed = await encryptPayload("mine", { publicKey: key.publicKey, keyId: "key-1", quoteHash });
    const { payload_hash } = await intentry.publishFulfillmentPayload(sealed);
    const message = { ...(await signed(quoteHash, payload_hash, attester)), transaction: transactionHash };
    for (const signature of [message.signature, "0x", `0x${"00".repeat(65)}`])
      await expect(shop.handle({ ...message, signature })).rejects.toThrow(
        "The order is not signed by the agent of the quote",
      );
    await expect(shop.handle({ ...message, signature: undefined })).rejects.toThrow("signature must be a text");
    expect(await stack.read("CommerceRegistry", "getQuote", [quoteHash])).toMatchObject({ settled: false });
  });

  it("a merchant that stopped after the receipt delivers when it gets the message again", async () => {
    const failing = await shopWith({
      deliver: async () => {
        throw new Error("power cut");
      },
    });
    const messages: unknown[] = [];
    answer = (message) => {
      messages.push(message);
      return failing.handle(message);
    };
    const { quote, pay, check } = await buyerWith();
    const verified = await quote(purchase());
    const failed = pay(verified, { name: "Ada" });
    await expect(failed).rejects.toMatchObject({ code: "payment_unanswered", verified });
    const payments = messages.filter((message) => (message as { type: string }).type === "payment");
    expect(payments).toHaveLength(5);
    const delivered: bigint[] = [];
    const restarted = await shopWith({
      deliver: async ({ receiptId }) => {
        delivered.push(receiptId);
        return {};
      },
    });
    answer = restarted.handle;
    const ids = await Promise.all([pay(verified, {}), restarted.handle(payments[0]), restarted.handle(payments[0])]);
    expect(new Set(ids.map((id) => String(typeof id === "bigint" ? id : id.receipt_id))).size).toBe(1);
    expect(delivered).toEqual([ids[0]]);
    expect(await check(verified, ids[0])).toMatchObject({ receipt_id: String(ids[0]), quote_hash: verified.quoteHash });
  });

  it("a merchant records the receipt of an authorization that was already sent", async () => {
    answer = shop.handle;
    const { quote } = await buyerWith();
    const verified = await quote(purchase({ rail: "facilitator" }));
    const { message, args } = await authorized(verified);
    const { transactionHash } = await stack.write(attester, "TestDollar", "transferWithAuthorization", args);
    const { receipt_id = "" } = await shop.handle(message);
    const receipt = await stack.read("CommerceRegistry", "getReceipt", [BigInt(receipt_id)]);
    expect(receipt).toMatchObject({ quoteHash: verified.quoteHash, resultHash: transactionHash });
  });

  it("a buyer pays once, also if the merchant does not answer at first", async () => {
    const before = await balance();
    let failures = 2;
    answer = (message) => {
      const isLost = (message as { type: string }).type === "payment" && failures-- > 0;
      return isLost ? Promise.reject(new Error("connection reset")) : shop.handle(message);
    };
    const receipt = await (await buyerWith()).buy(purchase());
    expect(receipt).toMatchObject({ amount: String(PRICE) });
    expect(failures).toBe(-1);
    expect(before - (await balance())).toBe(PRICE);
  });

  it.each(["transfer", "x402"] as const)(
    "another buyer continues a purchase with the same id, and pays once, on the rail %s",
    async (rail) => {
      const before = await balance();
      const payments: unknown[] = [];
      answer = (message) => {
        if ((message as { type: string }).type === "quote") return shop.handle(message);
        payments.push(message);
        return Promise.reject(new Error("connection reset"));
      };
      const wanted = purchase({ rail, id: `greeting by ${rail}` });
      await expect((await buyerWith({ updatesPolicies: true })).buy(wanted)).rejects.toMatchObject({
        code: "payment_unanswered",
      });
      expect(payments).toHaveLength(5);
      answer = shop.handle;
      const restarted = await buyerWith();
      const [receipt, same] = await Promise.all([restarted.buy(wanted), restarted.buy(wanted)]);
      expect(same).toEqual(receipt);
      expect(await (await buyerWith()).buy(wanted)).toEqual(receipt);
      expect(before - (await balance())).toBe(PRICE);
      expect(await (await buyerWith()).buy(purchase({ rail, id: "another" }))).not.toMatchObject({
        receipt_id: receipt.receipt_id,
      });
      expect(before - (await balance())).toBe(2n * PRICE);
    },
  );

  it("a buyer whose node did not answer to the transfer looks for it, and does not repeat it", async () => {
    answer = shop.handle;
    const proxy = await startRpcProxy(stack.chain.rpcUrl);
    try {
      const transport = http(proxy.url, { retryCount: 1, retryDelay: 10 });
      const wallet = createWalletClient({ account: shopper, chain: anvil, transport }).extend(publicActions);
      const { quote, pay } = await buyer({ intentry, wallet, send: (_, message) => answer(message) });
      const before = await balance();
      const quotes: VerifiedQuote[] = [];
      // All answers, or only the first one: viem sends the transaction again, and the node rejects it.
      for (const lost of [Number.POSITIVE_INFINITY, 1]) {
        const verified = await quote(purchase());
        quotes.push(verified);
        let left = lost;
        const isLost = (method: string) => method === "eth_sendRawTransaction" && left-- > 0;
        proxy.decide(({ method }) => (isLost(method) ? "truncate" : "pass"));
        await expect(pay(verified, {})).rejects.toMatchObject({
          code: "no_response",
          message: expect.stringContaining("The transaction may have been sent"),
        });
      }
      const ids = new Set<bigint>();
      for (const verified of quotes) ids.add(await pay(verified, {}));
      expect(ids.size).toBe(2);
      expect(before - (await balance())).toBe(2n * PRICE);
    } finally {
      await proxy.close();
    }
  });

  it("attack: a buyer compares the evidence with the chain, not with the service", async () => {
    answer = shop.handle;
    const { quote, preflight, pay } = await buyerWith({ updatesPolicies: true });
    const verified = await quote(purchase());
    await preflight(verified);
    const receiptId = await pay(verified, { name: "Ada" });
    const { fulfillmentHash } = await stack.read("CommerceRegistry", "getReceipt", [receiptId]);
    const forged = JSON.stringify({ type: "delivery", receipt_id: String(receiptId), details: "forged" });
    const { evidence_hash } = await intentry.publishFulfillmentEvidence(forged);
    const lying = createIntentryClient({
      url: stack.apiUrl,
      async fetch(...request) {
        const response = await fetch(...request);
        return new Response((await response.text()).replaceAll(fulfillmentHash, evidence_hash), response);
      },
    });
    const { check } = await buyer({ intentry: lying, wallet: walletOf(), send: (_, message) => answer(message) });
    await expect(check(verified, receiptId)).rejects.toThrow("is not the one on chain");
  });

  it.each<[unknown, RegExp]>([
    [null, /not a JSON object/],
    [[], /not a JSON object/],
    [{}, /type must be a text/],
    [{ type: "steal" }, /type must be quote or payment/],
    [{ type: "quote", request_hash: "0x1" }, /request_hash must have 32 bytes/],
    [{ type: "quote", request_hash: zeroHash }, /The quote request is not published/],
    [{ type: "payment", quote_hash: zeroHash, payload_hash: zeroHash }, /not one of this merchant/],
  ])("a merchant rejects the message %j", async (message, problem) => {
    await expect(shop.handle(message)).rejects.toMatchObject({
      code: "invalid_quote",
      message: expect.stringMatching(problem),
    });
  });

  it("a buyer whose policies deny the payment does not pay", async () => {
    answer = shop.handle;
    const { quote, preflight } = await buyer({
      intentry,
      wallet: walletOf(actor(16)),
      send: (_, message) => answer(message),
    });
    await expect(preflight(await quote(purchase()))).rejects.toMatchObject({ code: "policy_denied" });
  });

  it("a solver skips an intent without its attestation, and fills one whose owner selected its bid", async () => {
    const stop = new AbortController();
    const activities: SolverActivity[] = [];
    const price = ({ amount_in_max, amount_out_min }: { amount_in_max: string; amount_out_min: string }) => ({
      amountIn: BigInt(amount_in_max),
      amountOut: BigInt(amount_out_min),
    });
    const report = (activity: SolverActivity) => activities.push(activity);
    const solving = solver({ intentry, wallet: walletOf(filler), price, signal: stop.signal, report });
    const { timestamp } = await stack.client.getBlock();
    const { newIntent, submit } = intentsOfOwner(stack, timestamp + 3_600n);
    const [subject, schema] = [hashOf("subject"), hashOf("schema")];
    const required = { requiredAttestationSubject: subject, requiredAttestationSchema: schema };
    const attested = () => {
      const intent = newIntent(false);
      return submit({ ...intent, execution: { ...intent.execution, ...required } });
    };
    const unattested = await attested();
    await expect
      .poll(() => activities, { timeout: 20_000 })
      .toContainEqual({
        type: "skipped",
        intentId: unattested,
        reason: "the required attestation does not exist",
      });
    await stack.write(attester, "AttestationRegistry", "submitAttestation", [schema, subject, zeroHash]);
    await stack.indexed();
    const id = await attested();
    const bidOf = () => activities.find(({ type, intentId }) => type === "bid" && intentId === id);
    await expect.poll(bidOf, { timeout: 20_000 }).toBeDefined();
    await stack.write(owner, "IntentBook", "selectBid", [BigInt(id), 1n]);
    await intentry.waitForIntent(id, { timeoutMs: 20_000 });
    expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    stop.abort();
    await solving;
    expect(activities.filter(({ type }) => type === "failed")).toEqual([]);
  });
});
