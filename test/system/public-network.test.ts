import { createWalletClient, http, type LocalAccount, parseEventLogs, publicActions, zeroAddress } from "viem";
import { baseSepolia as chain } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { intentBookAbi } from "../../abis/index";
import { freeCalls } from "../../api/operations/index";
import { createIntentryClient, generatePayloadKey, type IntentryClient } from "../../client/src/index";
import { signIntent } from "../../client/src/intents";
import { buyer, merchant, type SolverActivity, solver } from "../../client/src/market/index";
import { anyExecution } from "../../common/intent";
import { contractNames } from "../../config/contracts";
import { baseSepolia } from "../../config/networks";
import { diagnose } from "../../stack/doctor/diagnose";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { publishExamples } from "../../stack/local/sample/published";
import { differences } from "../support/agreement";
import type { Stack } from "../support/stack";
import { sendExamples } from "./example-requests";
import { payee, startPublicNetwork } from "./public-chain";

const PRICE = 500_000n;
const [seller, settler, filler, shopper, payer] = [actor(10), actor(11), actor(12), actor(13), actor(9)];

describe("NETWORK=base-sepolia, on a chain with its chain id, block numbers and addresses", () => {
  let stack: Stack;
  let intentry: IntentryClient;
  beforeAll(async () => {
    stack = await startPublicNetwork();
    intentry = createIntentryClient({ url: stack.apiUrl });
    for (const { address } of [shopper, payer])
      await stack.write(actor(0), "TestDollar", "mint", [address, 1_000_000_000n]);
  }, 240_000);
  afterAll(() => stack?.stop());

  const walletOf = (account: LocalAccount) =>
    createWalletClient({ account, chain, transport: http(stack.chain.rpcUrl) }).extend(publicActions);
  const balanceOf = (account: LocalAccount["address"]) => stack.read("TestDollar", "balanceOf", [account]);

  it("describes the public deployment", async () => {
    const { contracts, chain_id } = await intentry.protocol();
    expect(chain_id).toBe(84532);
    for (const name of contractNames) expect(Object.values(contracts)).toContain(baseSepolia.contracts[name]);
    expect(await (await fetch(`${stack.apiUrl}/ready`)).json()).toMatchObject({ ready: true, chain_id: 84532 });
  });

  it("indexes the sample activity exactly as the contracts have it", async () => {
    const startBlock = BigInt(baseSepolia.startBlock);
    expect(await differences(stack, startBlock)).toEqual([]);
    const rows = await stack.rows("eventLog");
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.every(({ id }) => BigInt(id.slice(0, 12)) >= startBlock)).toBe(true);
  });

  it("serves the example of every route", async () => {
    await publishExamples(stack.apiUrl, undefined);
    // The network has no token list, so it has no prices and no symbols, apart from the native coin.
    const withPrices = "tokens.prices";
    const withSymbols = freeCalls.filter(({ operation }) => JSON.stringify(operation.example).includes("tUSD"));
    expect(withSymbols.every(({ resource }) => resource === "actions")).toBe(true);
    const except = [withPrices, ...withSymbols.map(({ name }) => name)];
    const responses = await sendExamples(stack.apiUrl, except);
    expect([...Object.keys(responses), ...except].sort()).toEqual(freeCalls.map(({ name }) => name).sort());
    for (const { operation } of withSymbols) {
      const body = JSON.stringify(operation.example);
      const headers = { "content-type": "application/json" };
      const path = operation.route.replace("POST ", "");
      const response = await fetch(`${stack.apiUrl}${path}`, { method: "POST", headers, body });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: expect.stringContaining("no listed token has the symbol tUSD; give its address") },
      ]);
    }
    const prices = await fetch(`${stack.apiUrl}/tokens/${stack.contracts.TestDollar}/prices?interval=hour`);
    expect([prices.status, await prices.json()]).toMatchObject([404, { code: "not_found" }]);
  });

  it.each(["transfer", "x402"] as const)(
    "lets a buyer and a merchant trade by %s",
    async (rail) => {
      const token = stack.contracts.TestDollar;
      const key = await generatePayloadKey();
      const url = "http://127.0.0.1:1/";
      const about = await intentry.publishCatalog(JSON.stringify({ name: "Greetings", url }));
      const reference = [about.uri, about.catalog_hash] as const;
      /** The first topic of the event of a new record is its id. */
      const registered = async (sending: ReturnType<Stack["write"]>) => BigInt((await sending).logs[0]?.topics[1] ?? 0);
      const merchantId = await registered(
        stack.write(seller, "CommerceRegistry", "registerMerchant", [seller.address, ...reference]),
      );
      const serviceNumericId = await registered(
        stack.write(seller, "CommerceRegistry", "registerService", [merchantId, "greeting", ...reference, hashOf("")]),
      );
      await stack.write(settler, "CommerceRegistry", "registerFacilitator", [settler.address, ...reference]);
      await stack.indexed();
      const id = String(serviceNumericId);
      const resolved = async () => (await intentry.services.get.query({ id, include: "metadata" })).metadata?.state;
      await vi.waitFor(async () => expect(await resolved()).toBe("verified"), { timeout: 60_000, interval: 200 });
      const shop = await merchant({
        ...{ intentry, wallet: walletOf(seller), facilitator: walletOf(settler), url, merchantId, token },
        services: [{ serviceNumericId, description: "Greets." }],
        key: { ...key, id: "key-1" },
        price: () => PRICE,
        deliver: async ({ payload }) => ({ greeted: payload }),
      });
      const before = [await balanceOf(shopper.address), await balanceOf(seller.address)] as const;
      const { buy } = await buyer({
        ...{ intentry, wallet: walletOf(shopper), updatesPolicies: true },
        send: (_, message) => shop.handle(message),
      });
      const service = { id, merchant_id: String(merchantId) };
      const receipt = await buy({ service, order: { name: "Ada" }, rail, maxAmount: PRICE, token });
      expect(receipt).toMatchObject({ merchant_id: String(merchantId), amount: String(PRICE) });
      expect([await balanceOf(shopper.address), await balanceOf(seller.address)]).toEqual([
        before[0] - PRICE,
        before[1] + PRICE,
      ]);
    },
    120_000,
  );

  it("lets a solver bid for an intent, and fill it when its owner has selected the bid", async () => {
    const stop = new AbortController();
    const activities: SolverActivity[] = [];
    const solving = solver({
      ...{ intentry, wallet: walletOf(filler), signal: stop.signal },
      price: ({ amount_in_max, amount_out_min }) => ({
        amountIn: BigInt(amount_in_max),
        amountOut: BigInt(amount_out_min),
      }),
      report: (activity) => activities.push(activity),
    });
    const { timestamp } = await stack.client.getBlock();
    const intent = {
      owner: shopper.address,
      intentType: 0,
      constraints: { amountInMax: 1000n, amountOutMin: 900n, deadline: timestamp + 3_600n, slippageBps: 0 },
      execution: anyExecution,
      ...{ inputToken: zeroAddress, outputToken: zeroAddress, nonce: 1n },
    };
    const { IntentBook: intentBook } = stack.contracts;
    const call = await signIntent(shopper, intent, { intentBook, chainId: chain.id });
    const { logs } = await stack.write(shopper, "IntentBook", "submitIntent", call);
    const [submitted] = parseEventLogs({ abi: intentBookAbi, eventName: "IntentSubmitted", logs });
    const intentId = submitted?.args.intentId ?? 0n;
    const hasBid = () => activities.some((one) => one.type === "bid" && one.intentId === String(intentId));
    await expect.poll(hasBid, { timeout: 30_000 }).toBe(true);
    await stack.write(shopper, "IntentBook", "selectBid", [intentId, 1n]);
    await intentry.waitForIntent(String(intentId), { timeoutMs: 30_000 });
    expect(await stack.read("IntentBook", "getIntentStatus", [intentId])).toBe(1);
    stop.abort();
    await solving;
    expect(activities.filter(({ type }) => type === "failed")).toEqual([]);
  }, 120_000);

  it("sells a portfolio for USDC, without settings of the payer", async () => {
    const before = [await balanceOf(payer.address), await balanceOf(payee)] as const;
    const paying = createIntentryClient({ url: stack.apiUrl, payer });
    const { snapshot, payment } = await paying.portfolio(payer.address, { chains: ["base"] });
    expect(snapshot).toMatchObject({ address: payer.address.toLowerCase(), chains: ["base"] });
    expect(payment).toMatchObject({ network: "eip155:84532", transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect([await balanceOf(payer.address), await balanceOf(payee)]).toEqual([
      before[0] - 10_000n,
      before[1] + 10_000n,
    ]);
  });

  it("has no failed check of the doctor", async () => {
    const { results, exitCode } = await diagnose(stack.env);
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
    expect(exitCode).toBe(0);
    for (const name of contractNames)
      expect(results).toContainEqual(expect.objectContaining({ name: `contract ${name}`, status: "ok" }));
  });
});
