import { type Address, type Hex, stringToHex, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { signIntent } from "../../client/src/intents";
import { anyExecution } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor, mined } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { callWithBytes } from "../support/hostile/texts";
import { type Stack, startStack } from "../support/stack";

const registry = "CommerceRegistry";
const MAX = 2n ** 256n - 1n;
const [owner, agent, facilitator, guardian] = [actor(1), actor(2), actor(3), actor(4)];

/** Legal but unusual sequences of events, from the list at the end of the protocol's specification. */
describe("a legal chain", () => {
  let stack: Stack;
  let nonce = 0n;

  beforeAll(async () => {
    stack = await startStack();
    await stack.write(owner, registry, "registerMerchant", [owner.address, "shop", hashOf("shop")]);
    await stack.write(owner, registry, "registerService", [1n, "thing", "uri", hashOf("thing"), hashOf("capability")]);
  });
  afterAll(() => stack?.stop());

  const commitment = (amount: bigint, paymentNonce = ++nonce) => ({
    merchantId: 1n,
    serviceNumericId: 1n,
    agent: agent.address,
    token: stack.contracts.TestDollar,
    facilitator: zeroAddress as Address,
    amount,
    paymentRail: 0,
    expiresAt: 2n ** 40n,
    paymentNonce,
    resourceHash: hashOf("resource"),
    termsHash: hashOf("terms"),
    x402PayloadHash: zeroHash,
  });
  const commit = async (quote: ReturnType<typeof commitment>) => {
    await stack.write(owner, registry, "commitQuote", [quote]);
    return stack.read(registry, "computeQuoteHash", [quote]);
  };
  const settle = (quoteHash: Hex) => stack.write(agent, registry, "recordReceipt", [quoteHash, hashOf("paid")]);
  /** Every running total, by `<subject> <key>`. */
  const totals = async () =>
    Object.fromEntries((await stack.rows("total")).map((row) => [`${row.subject} ${row.key}`.trim(), row]));
  const totalOf = async (name: string) => {
    const row = (await totals())[name];
    if (!row) throw new Error(`Total ${name} not found`);
    return row;
  };

  it("commits the same quote twice: one quote, and it is unsettled again", async () => {
    const quote = commitment(70n);
    const quoteHash = await commit(quote);
    await settle(quoteHash);
    const settled = await totals();
    const { quotes } = settled;
    if (!quotes) throw new Error("No quotes are counted");
    await commit(quote);
    expect(await totals()).toEqual({ ...settled, quotes: { ...quotes, settled: quotes.settled - 1 } });
    const rows = (await stack.rows("quote")).filter((row) => row.quoteHash === quoteHash);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ settled: false });
    await settle(quoteHash);
    expect(await totalOf("quotes")).toEqual(quotes);
    expect((await totalOf("receipts_by_merchant 1")).count).toBe((settled["receipts_by_merchant 1"]?.count ?? 0) + 1);
  });

  it("registers a facilitator twice: one row, active again", async () => {
    const register = (uri: string) =>
      stack.write(facilitator, registry, "registerFacilitator", [facilitator.address, uri, hashOf(uri)]);
    await register("first");
    await stack.write(facilitator, registry, "updateFacilitator", [1n, "resting", hashOf("resting"), false]);
    expect(await totalOf("facilitators")).toMatchObject({ count: 1, active: 0 });
    await register("second");
    await register("third");
    expect(await stack.rows("facilitator")).toMatchObject([{ facilitatorId: "1", metadataUri: "third", active: true }]);
    expect(await totalOf("facilitators")).toMatchObject({ count: 1, active: 1 });
  });

  it("resolves a dispute more than once: the last outcome counts", async () => {
    await stack.write(agent, registry, "openDispute", [1n, hashOf("reason")]);
    const resolve = (status: number, why: string) =>
      stack.write(owner, registry, "resolveDispute", [1n, status, hashOf(why)]);
    await resolve(1, "refunded");
    await resolve(2, "after all not");
    await resolve(2, "said again");
    expect(await stack.rows("dispute")).toMatchObject([{ status: "REJECTED", resolutionHash: hashOf("said again") }]);
    for (const of of ["disputes_by_status ", "disputes_by_merchant 1-"])
      expect(await totals()).toMatchObject({
        [`${of}OPEN`]: { count: 0 },
        [`${of}RESOLVED`]: { count: 0 },
        [`${of}REJECTED`]: { count: 1 },
      });
  });

  it("records a fulfilment again: the last hash, counted once", async () => {
    await stack.write(owner, registry, "recordFulfillment", [1n, hashOf("delivered")]);
    await stack.write(owner, registry, "recordFulfillment", [1n, hashOf("delivered again")]);
    expect((await stack.rows("receipt"))[0]).toMatchObject({ fulfillmentHash: hashOf("delivered again") });
    expect(await totalOf("receipts_by_merchant 1")).toMatchObject({ fulfilled: 1 });
  });

  it("uses a service id twice for one merchant: two services", async () => {
    await stack.write(owner, registry, "registerService", [
      1n,
      "thing",
      "uri 2",
      hashOf("other"),
      hashOf("capability"),
    ]);
    const services = await stack.rows("service");
    expect(services.map(({ serviceNumericId, serviceId }) => [serviceNumericId, serviceId])).toEqual([
      ["1", "thing"],
      ["2", "thing"],
    ]);
  });

  it("sets a limit and an allowlist entry again: one row each, and the spending of the day stays", async () => {
    const module = "PolicyModule";
    const token = stack.contracts.TestDollar;
    await stack.write(agent, module, "setSpendLimit", [token, 100n]);
    await stack.write(agent, module, "recordSpend", [token, 60n]);
    await stack.write(agent, module, "setSpendLimit", [token, 10n]);
    for (const allowed of [true, false, true]) await stack.write(agent, module, "setTargetAllowed", [token, allowed]);
    const policies = await stack.rows("policy");
    expect(policies).toMatchObject([
      { policyType: "SPEND_LIMIT", key: token.toLowerCase(), maxPerDay: "10", spentToday: "60" },
      { policyType: "TARGET_ALLOWLIST", key: token.toLowerCase(), enabled: true },
    ]);
    const onChain = await stack.read(module, "getSpendLimit", [agent.address, token]);
    expect(policies[0]?.lastReset).toBe(String(onChain.lastResetTimestamp));
  });

  it("selects a bid again: exactly one is selected, at the time of its latest selection", async () => {
    const { timestamp } = await stack.client.getBlock();
    const deadline = timestamp + 10_000n;
    const intent = {
      owner: owner.address,
      intentType: 0,
      constraints: { amountInMax: 10n, amountOutMin: 5n, deadline, slippageBps: 0 },
      execution: anyExecution,
      inputToken: zeroAddress,
      outputToken: zeroAddress,
      nonce: 1n,
    } as const;
    const signed = await signIntent(owner, intent, { intentBook: stack.contracts.IntentBook, chainId: LOCAL_CHAIN_ID });
    await stack.write(owner, "IntentBook", "submitIntent", signed);
    for (const fee of [1n, 2n, 3n])
      await stack.write(guardian, "IntentBook", "submitBid", [1n, 10n, 5n, fee, deadline, zeroHash]);
    const selections = async () => ({
      now: (await stack.rows("intent"))[0]?.selectedBidId,
      ever: Object.fromEntries((await stack.rows("bidSelection")).map(({ bidId, selectedAt }) => [bidId, selectedAt])),
    });
    /** Selects a bid a minute after the last block, and returns the time. */
    const select = async (bidId: bigint) => {
      await stack.client.increaseTime({ seconds: 60 });
      await stack.write(owner, "IntentBook", "selectBid", [1n, bidId]);
      return String((await stack.client.getBlock()).timestamp);
    };
    const first = await select(1n);
    expect(await selections()).toEqual({ now: "1", ever: { 1: first } });
    const earlier = await select(3n);
    const second = await select(3n);
    expect(BigInt(second)).toBeGreaterThan(BigInt(earlier));
    expect(await selections()).toEqual({ now: "3", ever: { 1: first, 3: second } });
    const third = await select(1n);
    expect(await selections()).toEqual({ now: "1", ever: { 1: third, 3: second } });
  });

  it("quotes and settles amounts of 2^256 − 1: the sums exceed uint256", async () => {
    const before = await totals();
    for (let sale = 0; sale < 3; sale++) await settle(await commit(commitment(MAX)));
    const after = await totals();
    for (const name of ["quotes", "receipts_by_merchant 1", "receipts_by_payment_rail 0"])
      expect(BigInt(after[name]?.volume ?? 0)).toBe(BigInt(before[name]?.volume ?? 0) + 3n * MAX);
  });

  it("records trust signals about subjects that do not exist", async () => {
    for (const subjectType of [0, 1, 2, 3])
      await stack.write(guardian, registry, "recordTrustSignal", [subjectType, MAX, 3, hashOf("nobody")]);
    expect(await stack.rows("trustSignal")).toHaveLength(4);
    expect(await totalOf("signals_by_kind 3")).toMatchObject({ count: 4 });
    for (const subjectType of [0, 1, 2, 3])
      expect(await totalOf(`signals_by_subject ${subjectType}-${MAX}-3`)).toMatchObject({ count: 1 });
  });

  it.each([
    ["empty", "0x", ""],
    ["100 kB long", stringToHex("x".repeat(100_000)), "x".repeat(100_000)],
    ["not valid UTF-8", "0x61ff62c328", "a\uFFFDb\uFFFD("],
    ["with a NUL byte", "0x610062", "a\uFFFDb"],
  ] as const)("registers an agent whose metadata URI is %s", async (_, bytes, expected) => {
    const data = callWithBytes(agentRegistryAbi, "registerAgent", [bytes, "0x01", zeroHash]);
    await mined(
      stack.client,
      stack.client.sendTransaction({ account: agent, to: stack.contracts.AgentRegistry, data }),
    );
    const registered = (await stack.client.getBlock()).number;
    // Ponder may revert a block that it has just indexed, and index it again.
    const newest = async () => (await stack.rows("agent")).at(-1);
    await expect
      .poll(newest, { timeout: 30_000 })
      .toMatchObject({ metadataUri: expected, blockNumber: String(registered) });
    const logged = (await stack.rows("eventLog")).find(({ id }) => BigInt(id.split("-")[0] ?? 0) === registered);
    expect(logged).toMatchObject({ name: "AgentRegistered" });
    expect(JSON.parse(logged?.args ?? "")).toMatchObject({ metadataURI: expected });
  });
});
