import { type Hex, parseEventLogs, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { intentBookAbi } from "../../abis/index";
import { signIntent } from "../../client/src/intents";
import { anyExecution } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { hashOf } from "../../stack/local/sample/people";
import { ask, askAll, type Item } from "../support/lists/asking";
import { fund, ownAccount } from "../support/own-accounts";
import { timeStack, type WrittenStack } from "../support/shared-stack";

const owner = ownAccount("owner of intents that expire");
const [solver, rival] = [ownAccount("solver of intents that expire"), ownAccount("its rival")];

const intents = { path: "/intents" };
const bids = { path: "/intents/{id}/bids" };
const HOUR = 3_600n;
const DAY = 86_400n;

/** State that depends on the time: between most tests only the clock advances, without transactions. */
describe("statuses that depend on the chain's time", () => {
  let stack: WrittenStack;
  let solverId: string | undefined;
  /** The chain's time after the setup. The tests advance it, in their order. */
  let start: bigint;
  let ids: { left: bigint; filled: bigint; cancelled: bigint; lasting: bigint };
  let spentAt: bigint;
  /** An intent that expires at each time that the tests advance to. */
  const probes = new Map<bigint, bigint>();

  const chainTime = async () => (await stack.client.getBlock()).timestamp;

  /** Advances the chain to a time, and waits until the gateway has read it: it polls the index a few times per second. */
  async function moveTo(time: bigint): Promise<void> {
    await stack.client.setNextBlockTimestamp({ timestamp: time });
    await stack.client.mine({ blocks: 1 });
    await stack.indexed();
    const probe = probes.get(time);
    await expect.poll(() => ask(stack.apiUrl, `/intents/${probe}`)).toMatchObject({ status: "EXPIRED" });
  }

  async function submit(nonce: bigint, deadline: bigint): Promise<bigint> {
    const intent = {
      owner: owner.address,
      intentType: 0,
      constraints: { amountInMax: 1_000n, amountOutMin: 900n, deadline, slippageBps: 0 },
      execution: anyExecution,
      inputToken: zeroAddress as Hex,
      outputToken: stack.contracts.TestDollar,
      nonce,
    };
    const args = await signIntent(owner, intent, { intentBook: stack.contracts.IntentBook, chainId: LOCAL_CHAIN_ID });
    const { logs } = await stack.write(owner, "IntentBook", "submitIntent", args);
    const [log] = parseEventLogs({ abi: intentBookAbi, logs, eventName: "IntentSubmitted" });
    if (!log) throw new Error("No intent was submitted");
    return log.args.intentId;
  }

  const bid = (from: typeof solver, intentId: bigint, amountOut: bigint, validUntil: bigint) =>
    stack.write(from, "IntentBook", "submitBid", [intentId, 1_000n, amountOut, 1n, validUntil, zeroHash]);

  const select = (intentId: bigint, bidId: bigint) => stack.write(owner, "IntentBook", "selectBid", [intentId, bidId]);

  beforeAll(async () => {
    stack = await timeStack();
    await fund(stack.client, owner, solver, rival);
    // Ahead of the wall clock by more than the duration of the tests, so that only the chain's time counts.
    start = (await chainTime()) + DAY;
    await stack.client.setNextBlockTimestamp({ timestamp: start });
    await stack.write(solver, "SolverRegistry", "registerSolver", ["solver", hashOf("swap")], 1n);
    solverId = (await stack.rows("solver")).at(-1)?.solverId;
    const deadline = start + 2n * HOUR;
    ids = {
      left: await submit(1n, deadline),
      filled: await submit(2n, deadline),
      cancelled: await submit(3n, deadline),
      lasting: await submit(4n, start + 365n * DAY),
    };

    // The intent that will expire: two bids for an hour and three until its deadline, two of them selected.
    await bid(solver, ids.left, 901n, start + HOUR);
    await bid(rival, ids.left, 902n, start + HOUR);
    await bid(solver, ids.left, 903n, deadline);
    await bid(rival, ids.left, 904n, deadline);
    await bid(solver, ids.left, 905n, deadline);
    await select(ids.left, 1n);
    await select(ids.left, 4n);
    await select(ids.left, 3n);

    await bid(solver, ids.filled, 950n, start + HOUR);
    await select(ids.filled, 1n);
    const proof = { executionData: "0x" as Hex, resultHash: hashOf("result"), traceHash: hashOf("trace") };
    const fill = { amountIn: 1_000n, amountOut: 950n, solver: solver.address, ...proof, attestationId: 0n };
    await stack.write(solver, "IntentBook", "fillIntent", [ids.filled, fill]);
    await stack.write(owner, "IntentBook", "cancelIntent", [ids.cancelled]);

    await stack.write(owner, "PolicyModule", "setSpendLimit", [zeroAddress, 100n]);
    const { blockNumber } = await stack.write(owner, "PolicyModule", "recordSpend", [zeroAddress, 40n]);
    spentAt = (await stack.client.getBlock({ blockNumber })).timestamp;

    const moments = [start + HOUR, start + HOUR + 1n, deadline - 1n, deadline, spentAt + DAY - 1n, spentAt + DAY];
    for (const [index, moment] of moments.entries()) probes.set(moment, await submit(100n + BigInt(index), moment));
    await stack.indexed();
  });
  afterAll(() => stack?.release());

  const statusesOf = (items: readonly Item[], key: string) =>
    Object.fromEntries(items.map((item) => [String(item[key]), item.status]));

  const intentStatuses = async () => statusesOf(await askAll(stack.apiUrl, intents), "intent_id");

  const bidStatuses = async () =>
    statusesOf(await askAll(stack.apiUrl, bids, { id: String(ids.left) }), "chain_bid_id");

  /** Checks that the filters by status partition the list. */
  async function expectPartition(list: { path: string }, names: string[], required: Record<string, string> = {}) {
    const all = await askAll(stack.apiUrl, list, required);
    for (const name of names) {
      const expected = all.filter(({ status }) => status === name.toUpperCase());
      const mixed = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      for (const status of [name, name.toUpperCase(), mixed])
        expect(await askAll(stack.apiUrl, list, { ...required, status }), status).toEqual(expected);
    }
    expect(all.filter(({ status }) => !names.includes(String(status).toLowerCase()))).toEqual([]);
  }

  const expectPartitions = async () => {
    await expectPartition(intents, ["open", "filled", "cancelled", "expired"]);
    await expectPartition(bids, ["open", "selected", "rejected", "expired"], { id: String(ids.left) });
  };

  const intentsAre = (left: string) => ({
    [String(ids.left)]: left,
    [String(ids.filled)]: "FILLED",
    [String(ids.cancelled)]: "CANCELLED",
    [String(ids.lasting)]: "OPEN",
  });

  const solverCounts = async () => {
    const { fills, successful_fills, failed_fills } = await ask(stack.apiUrl, `/solvers/${solverId}`);
    return { fills, successful_fills, failed_fills };
  };

  /** The owner's spend limit, and the current spend according to the contract. */
  async function spending() {
    const [limit] = await askAll(stack.apiUrl, { path: "/accounts/{address}/policies" }, { address: owner.address });
    const spentOnChain = await stack.read("PolicyModule", "getSpentToday", [owner.address, zeroAddress]);
    return { spent: limit?.spent_today, resetsAt: limit?.window_resets_at, spentOnChain: String(spentOnChain) };
  }

  it("at first intents and bids are open, the last selection is selected, and earlier ones are rejected", async () => {
    expect(await intentStatuses()).toMatchObject(intentsAre("OPEN"));
    expect(await bidStatuses()).toEqual({ 1: "REJECTED", 2: "OPEN", 3: "SELECTED", 4: "REJECTED", 5: "OPEN" });
    expect(await solverCounts()).toEqual({ fills: "1", successful_fills: "1", failed_fills: "0" });
    await expectPartitions();
  });

  it("a bid is open in its last valid second, and expired in the next", async () => {
    await moveTo(start + HOUR);
    expect(await bidStatuses()).toMatchObject({ 2: "OPEN" });
    await moveTo(start + HOUR + 1n);
    expect(await bidStatuses()).toMatchObject({ 2: "EXPIRED" });
    // Selected and rejected bids keep their status.
    expect(await bidStatuses()).toEqual({ 1: "REJECTED", 2: "EXPIRED", 3: "SELECTED", 4: "REJECTED", 5: "OPEN" });
    await expectPartitions();
  });

  it("an intent is open in the last second before its deadline, and expired at its deadline", async () => {
    await moveTo(start + 2n * HOUR - 1n);
    expect(await intentStatuses()).toMatchObject(intentsAre("OPEN"));
    expect(await solverCounts()).toMatchObject({ failed_fills: "0" });
    await moveTo(start + 2n * HOUR);
    expect(await intentStatuses()).toMatchObject(intentsAre("EXPIRED"));
    expect(await ask(stack.apiUrl, `/intents/${ids.left}`)).toMatchObject({ status: "EXPIRED", fill: null });
    await expectPartitions();
  });

  it("a selected bid whose intent expired counts as a failed fill of its solver", async () => {
    expect(await solverCounts()).toEqual({ fills: "1", successful_fills: "1", failed_fills: "1" });
  });

  it("a spend counts until the last second of the window", async () => {
    const resetsAt = spentAt + DAY;
    expect(await spending()).toEqual({ spent: "40", resetsAt: String(resetsAt), spentOnChain: "40" });
    await moveTo(resetsAt - 1n);
    expect(await spending()).toEqual({ spent: "40", resetsAt: String(resetsAt), spentOnChain: "40" });
    await moveTo(resetsAt);
    expect(await spending()).toEqual({ spent: "0", resetsAt: null, spentOnChain: "0" });
  });

  it("a later spend starts a new window", async () => {
    const { blockNumber } = await stack.write(owner, "PolicyModule", "recordSpend", [zeroAddress, 7n]);
    const { timestamp } = await stack.client.getBlock({ blockNumber });
    await stack.indexed();
    expect(await spending()).toEqual({ spent: "7", resetsAt: String(timestamp + DAY), spentOnChain: "7" });
  });

  it("an expired intent that its owner cancels is cancelled, its bids are rejected, and it still counts as a failed fill", async () => {
    expect(await bidStatuses()).toMatchObject({ 2: "EXPIRED", 3: "SELECTED" });
    await stack.write(owner, "IntentBook", "cancelIntent", [ids.left]);
    await stack.indexed();
    expect(await intentStatuses()).toMatchObject(intentsAre("CANCELLED"));
    const rejected = "REJECTED";
    expect(await bidStatuses()).toEqual({ 1: rejected, 2: rejected, 3: "SELECTED", 4: rejected, 5: rejected });
    expect(await solverCounts()).toMatchObject({ failed_fills: "1" });
    await expectPartitions();
  });
});
