import { type Address, encodeFunctionData, type Hex, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settlementAdapterAbi } from "../../abis/index";
import { quoteHash } from "../../common/quote-hash";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { differences } from "../support/agreement";
import { createTestDatabase } from "../support/database";
import { executionHashOf, type Instruction } from "../support/execution-hash";
import { indexOf } from "../support/index-of";
import { serviceEnvironment } from "../support/simulation/service";
import { type Stack, startStack } from "../support/stack";

const registry = "CommerceRegistry";
const FAR_FUTURE = 2n ** 40n;
const [owner, agent, facilitator, payout, stranger] = [actor(1), actor(2), actor(3), actor(4), actor(5)];

type Line = { recipient: Address; amount: bigint };

describe("settlements and the payment proof of receipts", () => {
  let stack: Stack;
  let nonce = 0n;

  beforeAll(async () => {
    stack = await startStack();
    await stack.write(owner, registry, "registerMerchant", [payout.address, "shop", hashOf("shop")]);
    await stack.write(owner, registry, "registerService", [1n, "thing", "uri", hashOf("thing"), hashOf("capability")]);
    for (const account of [facilitator, owner, payout, agent])
      await stack.write(account, registry, "registerFacilitator", [account.address, "facilitator", zeroHash]);
  });
  afterAll(() => stack?.stop());

  type Change = { paymentRail?: number; facilitator?: Address; token?: Address };
  const nextQuote = (change: Change = {}) => ({
    ...{ merchantId: 1n, serviceNumericId: 1n, agent: agent.address, token: zeroAddress as Address, amount: 100n },
    ...{ facilitator: zeroAddress as Address, paymentRail: 0, expiresAt: FAR_FUTURE, paymentNonce: ++nonce },
    ...{ resourceHash: zeroHash, termsHash: zeroHash, x402PayloadHash: zeroHash, ...change },
  });
  const commit = async (change: Change = {}) => {
    const quote = nextQuote(change);
    await stack.write(owner, registry, "commitQuote", [quote]);
    return { quote, quoteHash: quoteHash(stack.client.chain.id, stack.contracts.CommerceRegistry, quote) };
  };
  const instructionFor = (quoteHash: Hex, lines: Line[], payer = agent.address, token: Address = zeroAddress) => ({
    ...{ quoteHash, settlementPlanHash: hashOf("plan"), payer, token, deadline: FAR_FUTURE },
    grossAmount: lines.reduce((sum, { amount }) => sum + amount, 0n),
    lines: lines.map((line) => ({ ...line, kind: 0, token, metadataHash: zeroHash })),
  });
  const hashOfExecution = (instruction: Instruction) =>
    executionHashOf(stack.client.chain.id, stack.contracts.SettlementAdapter, instruction);
  /** Executes a settlement in the native coin. */
  const execute = async (instruction: Instruction) => {
    await stack.write(agent, "SettlementAdapter", "executeSettlement", [instruction], instruction.grossAmount);
    return hashOfExecution(instruction);
  };
  const record = (quoteHash: Hex, resultHash: Hex, by = agent) =>
    stack.write(by, registry, "recordReceipt", [quoteHash, resultHash]);
  const get = async (path: string) => (await fetch(stack.apiUrl + path)).json();
  const newestProof = async () => {
    await stack.indexed();
    const { receipts } = (await get("/receipts?limit=1")) as { receipts: { payment_proof: string }[] };
    return receipts[0]?.payment_proof;
  };
  const toMerchant = (amount: bigint): Line => ({ recipient: payout.address, amount });

  it("are served with their lines, by hash and in a list with filters", async () => {
    const { quoteHash } = await commit();
    const instruction = instructionFor(quoteHash, [toMerchant(100n), { recipient: stranger.address, amount: 3n }]);
    const executionHash = await execute(instruction);
    await stack.indexed();
    const served = await get(`/settlements/${executionHash}`);
    const line = { kind: 0, token: zeroAddress, metadata_hash: zeroHash };
    expect(served).toMatchObject({
      ...{ execution_hash: executionHash, quote_hash: quoteHash, settlement_plan_hash: hashOf("plan") },
      ...{ payer: agent.address.toLowerCase(), token: zeroAddress, gross_amount: "103", deadline: String(FAR_FUTURE) },
      ...{ lines_known: true, executions: "1" },
      lines: [
        { ...line, recipient: payout.address.toLowerCase(), amount: "100" },
        { ...line, recipient: stranger.address.toLowerCase(), amount: "3" },
      ],
    });
    const filters = [`quote_hash=${quoteHash}`, `payer=${agent.address}`, `token=${zeroAddress}`];
    for (const filter of filters)
      expect(await get(`/settlements?${filter}&limit=1&total=true`)).toMatchObject({ settlements: [served] });
    expect(await get(`/settlements?payer=${stranger.address}`)).toMatchObject({ settlements: [] });
  });

  it("are found by their hashes, explained, and in the events", async () => {
    const { quoteHash } = await commit();
    const instruction = instructionFor(quoteHash, [toMerchant(7n)]);
    const { transactionHash } = await stack.write(agent, "SettlementAdapter", "executeSettlement", [instruction], 7n);
    await stack.indexed();
    const found = { type: "settlement", id: hashOfExecution(instruction) };
    for (const hash of [found.id, quoteHash, instruction.settlementPlanHash])
      expect(await get(`/search?q=${hash}`)).toMatchObject({
        matches: expect.arrayContaining([expect.objectContaining(found)]),
      });
    const payer = agent.address.toLowerCase();
    const sentence = `${payer} paid 0.000000000000000007 ETH for quote ${quoteHash} (settlement ${found.id})`;
    expect(await get(`/tx/${transactionHash}/explain`)).toMatchObject({
      events: [{ eventName: "SettlementExecuted", description: sentence }],
    });
    expect(await get("/events/recent?contract=SettlementAdapter&limit=1")).toMatchObject({
      events: [{ event: "SettlementExecuted", summary: sentence }],
    });
  });

  it("executed again are one settlement, with the number of executions", async () => {
    const instruction = instructionFor(hashOf("no quote"), [toMerchant(1n)]);
    const executionHash = await execute(instruction);
    await execute(instruction);
    await stack.indexed();
    expect(await get(`/settlements/${executionHash}`)).toMatchObject({ executions: "2" });
    expect(await get(`/settlements?quote_hash=${hashOf("no quote")}&total=true`)).toMatchObject({
      pagination: { count: 1, total: 1 },
    });
  });

  it("are found by each of their hashes, and their page links a quote only if it exists", async () => {
    const matches = async (q: Hex) => ((await get(`/search?q=${q}`)) as { matches: unknown[] }).matches;
    const htmlOf = async (hash: Hex) => (await fetch(`${stack.apiUrl}/explore/settlements/${hash}`)).text();
    const { quoteHash } = await commit();
    const plan = hashOf("own plan");
    const committed = await execute({ ...instructionFor(quoteHash, [toMerchant(2n)]), settlementPlanHash: plan });
    // The same hash in two fields.
    const unknown = hashOf("nobody's quote");
    const uncommitted = await execute({ ...instructionFor(unknown, [toMerchant(2n)]), settlementPlanHash: unknown });
    await stack.indexed();
    const settlement = { type: "settlement", id: committed, name: null };
    expect(await matches(committed)).toEqual([settlement]);
    expect(await matches(plan)).toEqual([settlement]);
    expect(await matches(quoteHash)).toEqual([{ type: "quote", id: quoteHash, name: null }, settlement]);
    expect(await matches(unknown)).toEqual([{ ...settlement, id: uncommitted }]);
    expect(await htmlOf(committed)).toContain(`href="/explore/quotes/${quoteHash}"`);
    expect(await htmlOf(uncommitted)).not.toContain("/explore/quotes/0x");
  });

  it("of a nested call have no lines, say so, and prove no receipt", async () => {
    const { quoteHash } = await commit();
    const { SettlementAdapter, Multicall } = stack.contracts;
    const instruction = instructionFor(quoteHash, [toMerchant(100n)], Multicall);
    const data = encodeFunctionData({
      abi: settlementAdapterAbi,
      functionName: "executeSettlement",
      args: [instruction],
    });
    await stack.write(agent, "Multicall", "aggregate", [[{ target: SettlementAdapter, value: 100n, data }]], 100n);
    const executionHash = hashOfExecution(instruction);
    await record(quoteHash, executionHash);
    expect(await newestProof()).toBe("claim");
    expect(await get(`/settlements/${executionHash}`)).toMatchObject({
      ...{ lines: null, lines_known: false, deadline: null, gross_amount: "100" },
    });
  });

  it("prove a receipt that has their hash, also if they are executed after it", async () => {
    const before = await commit();
    await record(before.quoteHash, await execute(instructionFor(before.quoteHash, [toMerchant(60n), toMerchant(40n)])));
    expect(await newestProof()).toBe("settlement");
    const after = await commit();
    const instruction = instructionFor(after.quoteHash, [toMerchant(100n)]);
    await record(after.quoteHash, hashOfExecution(instruction));
    expect(await newestProof()).toBe("claim");
    await execute(instruction);
    expect(await newestProof()).toBe("settlement");
  });

  it.each<[string, (quoteHash: Hex) => Instruction]>([
    ["of another quote", () => instructionFor(hashOf("another quote"), [toMerchant(100n)])],
    [
      "of less",
      (quoteHash) => instructionFor(quoteHash, [toMerchant(99n), { recipient: stranger.address, amount: 9n }]),
    ],
    ["to others", (quoteHash) => instructionFor(quoteHash, [{ recipient: owner.address, amount: 100n }])],
  ])("%s prove nothing", async (_, instructionOf) => {
    const { quoteHash } = await commit();
    await record(quoteHash, await execute(instructionOf(quoteHash)));
    expect(await newestProof()).toBe("claim");
  });

  it("in another token than the quote prove nothing", async () => {
    const { quoteHash } = await commit({ token: stack.contracts.TestDollar });
    await record(quoteHash, await execute(instructionFor(quoteHash, [toMerchant(100n)])));
    expect(await newestProof()).toBe("claim");
  });

  it("of another quote do not prove a receipt, and still prove that of their own", async () => {
    const [own, other] = [await commit(), await commit()];
    const executionHash = await execute(instructionFor(own.quoteHash, [toMerchant(100n)]));
    await record(other.quoteHash, executionHash);
    expect(await newestProof()).toBe("claim");
    await record(own.quoteHash, executionHash);
    expect(await newestProof()).toBe("settlement");
  });

  it("before the quote exists prove its receipt", async () => {
    const quote = nextQuote();
    const hash = quoteHash(stack.client.chain.id, stack.contracts.CommerceRegistry, quote);
    const executionHash = await execute(instructionFor(hash, [toMerchant(100n)]));
    await stack.write(owner, registry, "commitQuote", [quote]);
    await record(hash, executionHash);
    expect(await newestProof()).toBe("settlement");
  });

  it("prove one receipt: the first of two with the same hash", async () => {
    const { quote, quoteHash } = await commit();
    const executionHash = await execute(instructionFor(quoteHash, [toMerchant(100n)]));
    await record(quoteHash, executionHash);
    await stack.write(owner, registry, "commitQuote", [quote]);
    await record(quoteHash, executionHash);
    await stack.indexed();
    const { receipts } = (await get("/receipts?limit=2")) as { receipts: { payment_proof: string }[] };
    expect(receipts.map(({ payment_proof }) => payment_proof)).toEqual(["claim", "settlement"]);
    // The same instruction once more changes neither. A payment of its own proves a third receipt of the quote.
    await execute(instructionFor(quoteHash, [toMerchant(100n)]));
    expect(await newestProof()).toBe("claim");
    await stack.write(owner, registry, "commitQuote", [quote]);
    await record(quoteHash, await execute(instructionFor(quoteHash, [toMerchant(101n)])));
    expect(await newestProof()).toBe("settlement");
  });

  it("must pay the payout address of the receipt's time", async () => {
    const { quoteHash } = await commit();
    const executionHash = await execute(instructionFor(quoteHash, [toMerchant(100n)]));
    const moveTo = (address: Address) =>
      stack.write(owner, registry, "updateMerchant", [1n, address, "shop", hashOf("shop"), true]);
    await record(quoteHash, executionHash);
    await moveTo(stranger.address);
    expect(await newestProof()).toBe("settlement");
    const later = await commit();
    await record(later.quoteHash, await execute(instructionFor(later.quoteHash, [toMerchant(100n)])));
    await moveTo(payout.address);
    expect(await newestProof()).toBe("claim");
  });

  it("are not needed if a facilitator recorded the receipt that is neither of the parties", async () => {
    for (const paymentRail of [2, 3]) {
      const { quoteHash } = await commit({ paymentRail, facilitator: facilitator.address });
      await record(quoteHash, hashOf("result"), facilitator);
      expect(await newestProof()).toBe("facilitator");
      for (const party of [owner, payout, agent]) {
        const own = await commit({ paymentRail, facilitator: party.address });
        await record(own.quoteHash, hashOf("result"), party);
        expect(await newestProof()).toBe("claim");
      }
    }
    // On other rails the quote may name any facilitator, and a party records the receipt.
    const { quoteHash } = await commit({ facilitator: facilitator.address });
    await record(quoteHash, hashOf("result"));
    expect(await newestProof()).toBe("claim");
  });

  it("are needed if the facilitator was inactive or is registered later, and not if it is deactivated later", async () => {
    const [{ address }, change] = [stranger, { paymentRail: 2, facilitator: stranger.address }];
    await expect(commit(change)).rejects.toThrow("FacilitatorNotFound");
    const named = await commit({ facilitator: address });
    await record(named.quoteHash, hashOf("result"));
    await stack.write(stranger, registry, "registerFacilitator", [address, "facilitator", zeroHash]);
    expect(await newestProof()).toBe("claim");
    const [first, second] = [await commit(change), await commit(change)];
    await record(first.quoteHash, hashOf("result"), stranger);
    const id = BigInt((await stack.rows("facilitator")).length);
    await stack.write(stranger, registry, "updateFacilitator", [id, "facilitator", zeroHash, false]);
    await expect(record(second.quoteHash, hashOf("result"), stranger)).rejects.toThrow("FacilitatorInactive");
    expect(await newestProof()).toBe("facilitator");
  });

  it("that a reorg removes prove nothing any more", async () => {
    const { quoteHash } = await commit();
    const instruction = instructionFor(quoteHash, [toMerchant(100n)]);
    await record(quoteHash, hashOfExecution(instruction));
    expect(await newestProof()).toBe("claim");
    const snapshot = await stack.client.snapshot();
    await execute(instruction);
    expect(await newestProof()).toBe("settlement");
    await stack.client.revert({ id: snapshot });
    await stack.client.mine({ blocks: 6 });
    await expect.poll(newestProof).toBe("claim");
    expect((await fetch(`${stack.apiUrl}/settlements/${hashOfExecution(instruction)}`)).status).toBe(404);
    expect(await differences(stack)).toEqual([]);
  });

  it("are counted apart in the merchant's reputation, in agreement with the chain", async () => {
    await stack.indexed();
    const proofs = (await stack.rows("receipt")).map(({ paymentProof }) => paymentProof);
    const countOf = (proof: string) => String(proofs.filter((one) => one === proof).length);
    const { commerce } = (await get("/merchants/1/reputation")) as { commerce: object };
    expect(commerce).toMatchObject({
      receipts: String(proofs.length),
      settlement_receipts: countOf("settlement"),
      facilitator_receipts: countOf("facilitator"),
      claim_receipts: countOf("claim"),
    });
    expect(countOf("settlement")).toBe("7");
    expect(await differences(stack)).toEqual([]);
  });

  it("are not indexed without the adapter's address, and everything else is", async () => {
    const database = await createTestDatabase("no-adapter");
    const service = serviceEnvironment(stack.contracts, {
      rpcUrl: stack.chain.rpcUrl,
      portfolioRpcUrl: stack.chain.rpcUrl,
    });
    const env = { ...service, SETTLEMENT_ADAPTER_ADDRESS: "", DATABASE_URL: database.url };
    const index = await indexOf(stack.chain, stack.contracts, env);
    try {
      await index.startIndexer();
      await index.indexed();
      const read = async (path: string) => (await fetch(index.apiUrl + path)).json();
      expect((await read("/protocol")) as object).not.toHaveProperty("contracts.SettlementAdapter");
      expect(await read("/settlements?total=true")).toMatchObject({ settlements: [], pagination: { total: 0 } });
      expect(await index.rows("receipt")).toHaveLength((await stack.rows("receipt")).length);
      expect(await read("/merchants/1/reputation")).toMatchObject({ commerce: { settlement_receipts: "0" } });
      await commit();
      await stack.indexed();
      await index.indexed();
      expect(await index.rows("quote")).toEqual(await stack.rows("quote"));
    } finally {
      await index.removeIndex();
      await database.drop();
    }
  });
});
