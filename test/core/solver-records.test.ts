import { zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIntent } from "../../client/src/intents";
import { anyExecution } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import { differences } from "../support/agreement";
import { type Stack, startStack } from "../support/stack";

const FAR_FUTURE = 2n ** 40n;
const [owner, fast, slow] = [actor(1), actor(2), actor(3)];

type Account = typeof owner;

describe("the record of a solver", () => {
  let stack: Stack;
  let intents = 0n;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  const submit = async (amountOutMin = 900n) => {
    intents += 1n;
    const intent = {
      ...{ owner: owner.address, intentType: 0, execution: anyExecution, nonce: intents },
      constraints: { amountInMax: 1_000n, amountOutMin, deadline: FAR_FUTURE, slippageBps: 0 },
      ...{ inputToken: stack.contracts.TestDollar, outputToken: zeroAddress },
    };
    const { IntentBook } = stack.contracts;
    const args = await signIntent(owner, intent, { intentBook: IntentBook, chainId: LOCAL_CHAIN_ID });
    await stack.write(owner, "IntentBook", "submitIntent", args);
    return intents;
  };
  const bid = (solver: Account, intentId: bigint, amountOut = 950n) =>
    stack.write(solver, "IntentBook", "submitBid", [intentId, 1_000n, amountOut, 0n, FAR_FUTURE, zeroHash]);
  const select = (intentId: bigint, bidId: bigint) => stack.write(owner, "IntentBook", "selectBid", [intentId, bidId]);
  const fill = (solver: Account, intentId: bigint, amountOut = 950n) => {
    const proof = { executionData: "0x", resultHash: zeroHash, traceHash: zeroHash, attestationId: 0n } as const;
    const filled = { amountIn: 1_000n, amountOut, solver: solver.address, ...proof };
    return stack.write(solver, "IntentBook", "fillIntent", [intentId, filled]);
  };
  /** The count and the amount of each metric. */
  const totalsOf = async ({ address }: Account) => {
    const rows = await stack.rows("participantTotal");
    const own = rows.filter(({ kind, key }) => kind === "solver" && key === address.toLowerCase());
    return Object.fromEntries(own.map(({ metric, count, amount }) => [metric, [count, amount]]));
  };

  it("has its bids, each selection that made it the winner, and what it filled", async () => {
    const intentId = await submit();
    for (const solver of [fast, slow, fast]) await bid(solver, intentId);
    await select(intentId, 1n);
    // The same solver with another bid has not won again.
    await select(intentId, 3n);
    await select(intentId, 2n);
    await select(intentId, 1n);
    await fill(fast, intentId);
    expect(await totalsOf(slow)).toEqual({ bids: [1, "0"], wins: [1, "0"] });
    expect(await totalsOf(fast)).toEqual({
      ...{ bids: [2, "0"], wins: [2, "0"], fills: [1, "1000"] },
      // 50 of 900 are 555.5… basis points.
      ...{ surplus: [1, "50"], surplus_bps: [1, "555"] },
    });
  });

  it("counts the cancellation of an intent for the last selected solver only", async () => {
    const intentId = await submit();
    await bid(fast, intentId);
    await bid(slow, intentId);
    await select(intentId, 1n);
    await select(intentId, 2n);
    await stack.write(owner, "IntentBook", "cancelIntent", [intentId]);
    const unselected = await submit();
    await bid(fast, unselected);
    await stack.write(owner, "IntentBook", "cancelIntent", [unselected]);
    expect((await totalsOf(slow)).cancelled).toEqual([1, "0"]);
    expect((await totalsOf(fast)).cancelled).toBeUndefined();
  });

  it("has no basis points of a minimum of zero", async () => {
    const { surplus_bps: before } = await totalsOf(fast);
    const intentId = await submit(0n);
    await bid(fast, intentId);
    await select(intentId, 1n);
    await fill(fast, intentId);
    expect(await totalsOf(fast)).toMatchObject({ fills: [2, "2000"], surplus: [2, "1000"], surplus_bps: before });
  });

  it("gains no credit from intents of its own", async () => {
    const intentId = await submit();
    await bid(owner, intentId);
    await select(intentId, 1n);
    await fill(owner, intentId);
    const rows = await stack.rows("participantTotal");
    const fills = rows.filter(({ metric }) => metric === "fills");
    const creditOf = ({ address }: Account) => fills.find(({ key }) => key === address.toLowerCase());
    expect(creditOf(owner)).toMatchObject({ count: 1, amount: "0", counterparties: 0, credit: 0 });
    expect(creditOf(fast)).toMatchObject({ count: 2, counterparties: 1, credit: 20 });
  });

  it("agrees with the chain", async () => {
    expect(await differences(stack)).toEqual([]);
  });
});
