import { type Address, type Hex, maxUint256, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIntent } from "../../client/src/intents";
import { anyExecution } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { differences } from "../support/agreement";
import { DATABASE_SCHEMA } from "../support/index-of";
import { runLegalActions } from "../support/legal-actions";
import { rankingDifferences } from "../support/rankings/differences";
import { dollarText, type PriceOf } from "../support/rankings/dollars";
import { type Facts, factsOf } from "../support/rankings/facts";
import { rankingGateway } from "../support/rankings/gateway";
import { type Stack, startStack } from "../support/stack";

const registry = "CommerceRegistry";
const FAR_FUTURE = 2n ** 40n;

const listedToken: Address = "0x00000000000000000000000000000000000000d1";
const otherToken: Address = "0x00000000000000000000000000000000000000d2";
const unlistedToken: Address = "0x00000000000000000000000000000000000000d3";
const unpricedToken: Address = "0x00000000000000000000000000000000000000d4";
/** 2^256 - 1 of its smallest unit is 1.16 whole tokens. */
const tinyToken: Address = "0x00000000000000000000000000000000000000d5";

/** The dollars that the listed tokens are worth, at all times. */
const prices = new Map<string, bigint | null>([
  [listedToken, 10n ** 8n],
  [otherToken, 2000n * 10n ** 8n],
  [unpricedToken, null],
  [tinyToken, 123_456_789n],
]);
const priceOf: PriceOf = (token) => prices.get(token);
const listed = new Map<string, { decimals: number }>([
  [listedToken, { decimals: 6 }],
  [otherToken, { decimals: 18 }],
  [unpricedToken, { decimals: 6 }],
  [tinyToken, { decimals: 77 }],
]);

type Account = ReturnType<typeof actor>;
type Ranked = { key: string; volume_usd: string; counterparties: string; count: string; self_count: string };
type Ranking = { ranking: Ranked[] };
type Commerce = {
  summary: { settled_volume_usd: string };
  top_merchants: { merchant_id: string; settled_volume_usd: string; settled_volume: string; counterparties: string }[];
  volume_by_token: { token: string; listed: boolean; settled_volume_usd: string }[];
  unlisted_volume: { token: string; receipts: string; settled_volume: string }[];
};

describe("rankings", () => {
  let stack: Stack;
  let nonce = 0n;
  let intents = 0n;

  beforeAll(async () => {
    stack = await startStack();
  }, 180_000);
  afterAll(() => stack?.stop());

  /** Registers a merchant with a service, and returns its id and that of the service. */
  async function openShop(owner = actor(1)) {
    await stack.write(owner, registry, "registerMerchant", [owner.address, "shop", hashOf("shop")]);
    const merchantId = BigInt((await stack.rows("merchant")).length);
    const terms = ["service", "service", hashOf("service"), hashOf("can")] as const;
    await stack.write(owner, registry, "registerService", [merchantId, ...terms]);
    const serviceNumericId = BigInt((await stack.rows("service")).length);
    return { owner, merchantId, serviceNumericId };
  }

  /** Records a receipt: the agent has paid the merchant. */
  async function pay(
    { owner, merchantId, serviceNumericId }: Awaited<ReturnType<typeof openShop>>,
    agent: Address,
    token: Address,
    amount: bigint,
  ) {
    const { timestamp } = await stack.client.getBlock();
    const commitment = {
      ...{ merchantId, serviceNumericId, agent, token },
      facilitator: zeroAddress,
      ...{ amount, paymentRail: 0 },
      expiresAt: timestamp + 86_400n,
      paymentNonce: ++nonce,
      resourceHash: hashOf("resource"),
      termsHash: hashOf("terms"),
      x402PayloadHash: zeroHash,
    };
    await stack.write(owner, registry, "commitQuote", [commitment]);
    const quoteHash: Hex = await stack.read(registry, "computeQuoteHash", [commitment]);
    await stack.write(owner, registry, "recordReceipt", [quoteHash, hashOf("result")]);
  }

  async function read<Answer>(path: string, change: Partial<{ priceOf: PriceOf; now: bigint }> = {}): Promise<Answer> {
    await stack.indexed();
    const facts: Facts = await factsOf(stack);
    const { timestamp } = await stack.client.getBlock();
    const market = { facts, listed, priceOf, now: timestamp, ...change };
    const gateway = await rankingGateway({ ...stack, schema: DATABASE_SCHEMA, market });
    try {
      return (await gateway.get(path)) as Answer;
    } finally {
      await gateway.close();
    }
  }

  const keysOf = ({ ranking }: Ranking) => ranking.map(({ key }) => key);

  it("have a merchant with real receipts before one with 10^18 units of an unlisted token", async () => {
    const [honest, hostile] = [await openShop(), await openShop()];
    for (let customer = 3; customer < 11; customer++)
      await pay(honest, actor(customer).address, listedToken, 1_500_000n);
    await pay(hostile, actor(3).address, unlistedToken, 10n ** 18n);
    await pay(hostile, actor(3).address, unlistedToken, maxUint256);
    const [first, last] = [String(honest.merchantId), String(hostile.merchantId)];

    const commerce = await read<Commerce>("/analytics/commerce");
    expect(commerce.top_merchants).toMatchObject([
      { merchant_id: first, settled_volume_usd: "12", counterparties: "8", settled_volume: "12000000" },
      {
        merchant_id: last,
        settled_volume_usd: "0",
        counterparties: "0",
        settled_volume: String(maxUint256 + 10n ** 18n),
      },
    ]);
    expect(commerce.volume_by_token).toMatchObject([
      { token: listedToken, listed: true, settled_volume_usd: "12" },
      { token: unlistedToken, listed: false, settled_volume_usd: "0" },
    ]);
    expect(commerce.unlisted_volume).toMatchObject([{ token: unlistedToken, receipts: "2" }]);
    expect(commerce.summary.settled_volume_usd).toBe("12");
    for (const window of ["24h", "7d", "30d", "all"])
      expect(keysOf(await read<Ranking>(`/leaderboard/merchants?window=${window}`))).toEqual([first]);
  });

  it("do not count a merchant that pays itself, and one that it pays by its payout address", async () => {
    const [honest, shop] = [await openShop(), await openShop(actor(2))];
    await pay(honest, actor(5).address, listedToken, 20_000_000n);
    await pay(shop, actor(2).address, listedToken, 10n ** 15n);
    const merchantsOf = async () => keysOf(await read<Ranking>("/leaderboard/merchants?window=all"));
    expect(await merchantsOf()).not.toContain(String(shop.merchantId));
    await pay(shop, actor(5).address, listedToken, 1n);
    for (const window of ["24h", "all"]) {
      const { ranking } = await read<Ranking>(`/leaderboard/merchants?window=${window}`);
      const own = ranking.find(({ key }) => key === String(shop.merchantId));
      expect(own).toMatchObject({ volume_usd: "0.000001", counterparties: "1", count: "1", self_count: "1" });
      // Nor does it take the only place.
      const first = await read<Ranking>(`/leaderboard/merchants?window=${window}&limit=1`);
      expect(keysOf(first)).toEqual([String(honest.merchantId)]);
    }
    const { top_merchants } = await read<Commerce>("/analytics/commerce");
    expect(top_merchants[0]).toMatchObject({ merchant_id: String(honest.merchantId), settled_volume_usd: "20" });
    expect(top_merchants.find(({ merchant_id }) => merchant_id === String(shop.merchantId))).toMatchObject({
      ...{ settled_volume_usd: "0.000001", counterparties: "1" },
      settled_volume: String(10n ** 15n + 1n),
    });
  });

  it("have the same first places whatever their limit, also if nobody is the largest in a token", async () => {
    const [first, second, both] = [await openShop(), await openShop(), await openShop()];
    const [dollar, ether] = [10n ** 6n, 10n ** 18n];
    await pay(first, actor(3).address, listedToken, 5_000n * dollar);
    await pay(second, actor(3).address, otherToken, (12n * ether) / 5n);
    await pay(both, actor(3).address, listedToken, 4_000n * dollar);
    await pay(both, actor(4).address, otherToken, 2n * ether);
    const expected = [both, first, second].map(({ merchantId }) => String(merchantId));
    for (const window of ["24h", "all"])
      for (const limit of [3, 2, 1])
        expect(keysOf(await read<Ranking>(`/leaderboard/merchants?window=${window}&limit=${limit}`))).toEqual(
          expected.slice(0, limit),
        );
  });

  /** Submits an intent, and has it filled by a solver, who may be its owner. */
  async function trade(owner: Account, solver: Account, amountIn: bigint) {
    const { IntentBook } = stack.contracts;
    const intent = {
      ...{ owner: owner.address, intentType: 0, execution: anyExecution, nonce: ++nonce },
      constraints: { amountInMax: amountIn, amountOutMin: 1n, deadline: FAR_FUTURE, slippageBps: 0 },
      ...{ inputToken: listedToken, outputToken: listedToken },
    };
    const args = await signIntent(owner, intent, { intentBook: IntentBook, chainId: LOCAL_CHAIN_ID });
    await stack.write(owner, "IntentBook", "submitIntent", args);
    intents += 1n;
    const intentId = intents;
    const amountOut = amountIn;
    await stack.write(solver, "IntentBook", "submitBid", [intentId, amountIn, amountOut, 0n, FAR_FUTURE, zeroHash]);
    await stack.write(owner, "IntentBook", "selectBid", [intentId, 1n]);
    const proof = { executionData: "0x", resultHash: zeroHash, traceHash: zeroHash, attestationId: 0n } as const;
    const filled = { amountIn, amountOut, solver: solver.address, ...proof };
    await stack.write(solver, "IntentBook", "fillIntent", [intentId, filled]);
  }

  it("do not count what a solver does with its own intents", async () => {
    const [owner, honest, cheat] = [actor(3), actor(12), actor(13)];
    await trade(owner, honest, 2_000_001n);
    await trade(cheat, cheat, maxUint256);
    const keyOf = ({ address }: Account) => address.toLowerCase();
    const leaderboards = [
      "/leaderboard/solvers?",
      ...["volume", "fills", "surplus"].map((by) => `/solvers/leaderboard?by=${by}&`),
    ];
    const solversOf = ({ ranking }: { ranking: { key?: string; solver?: string }[] }) =>
      ranking.map(({ key, solver }) => key ?? solver);
    for (const path of leaderboards)
      for (const window of ["24h", "all"])
        expect([path, solversOf(await read(`${path}window=${window}`))]).toEqual([path, [keyOf(honest)]]);
    const { ranking } = await read<{ ranking: object[] }>("/solvers/leaderboard?by=win_rate&window=24h");
    expect(ranking).toMatchObject([
      { solver: keyOf(honest), bids: "1", wins: "1" },
      { solver: keyOf(cheat), bids: "1", wins: "0", fills: "0", volume_usd: "0", surplus_usd: "0" },
    ]);
    await trade(owner, cheat, 1_000_001n);
    for (const window of ["24h", "all"]) {
      const solvers = await read<Ranking>(`/leaderboard/solvers?window=${window}`);
      expect(solvers.ranking).toMatchObject([
        { key: keyOf(honest), volume_usd: "2.000001" },
        { key: keyOf(cheat), volume_usd: "1.000001", counterparties: "1", count: "1", self_count: "1" },
      ]);
    }
    expect(await differences(stack)).toEqual([]);
  });

  it("break ties in dollars by counterparties, then by receipts, then by key", async () => {
    const shops = [await openShop(), await openShop(), await openShop(), await openShop()] as const;
    const [one, other, loved, busy] = shops;
    const amount = 10n ** 18n;
    await pay(one, actor(3).address, otherToken, 2n * amount);
    await pay(other, actor(3).address, otherToken, 2n * amount);
    for (const customer of [3, 4]) await pay(loved, actor(customer).address, otherToken, amount);
    for (const _ of [1, 2]) await pay(busy, actor(3).address, otherToken, amount);
    // It does not count.
    await pay(other, actor(3).address, unlistedToken, maxUint256);
    const tied = [loved, busy, one, other].map(({ merchantId }) => String(merchantId));
    const { ranking } = await read<Ranking>("/leaderboard/merchants?window=24h&limit=100");
    const ofTie = ranking.filter(({ key }) => tied.includes(key));
    expect(ofTie.map(({ key, volume_usd }) => [key, volume_usd])).toEqual(tied.map((key) => [key, "4000"]));
    const { top_merchants } = await read<Commerce>("/analytics/commerce");
    const top = top_merchants.map(({ merchant_id }) => merchant_id);
    expect(top.filter((key) => tied.includes(key))).toEqual(tied);
    // The limit cuts through the tie.
    const limit = ranking.indexOf(ofTie[0] as Ranked) + 2;
    const two = await read<Ranking>(`/leaderboard/merchants?window=24h&limit=${limit}`);
    expect(keysOf(two).slice(-2)).toEqual(tied.slice(0, 2));
  });

  it("are exact for the largest amounts, and rank listed tokens without a price by counterparties", async () => {
    const [whale, unpriced, tiny] = [await openShop(), await openShop(), await openShop()];
    await pay(whale, actor(3).address, otherToken, maxUint256);
    await pay(whale, actor(4).address, otherToken, maxUint256);
    await pay(unpriced, actor(3).address, unpricedToken, maxUint256);
    await pay(tiny, actor(3).address, tinyToken, maxUint256);
    const { ranking } = await read<Ranking>("/leaderboard/merchants?window=24h&limit=100");
    // 18 decimals of the token, and 8 of the price.
    const dollars = dollarText(2n * maxUint256 * 2000n * 10n ** 8n * 10n ** (85n - 26n));
    expect(ranking[0]).toMatchObject({ key: String(whale.merchantId), volume_usd: dollars });
    const ofTiny = ranking.find(({ key }) => key === String(tiny.merchantId));
    expect(ofTiny).toMatchObject({ volume_usd: "1.429532" });
    expect(ranking.at(-1)).toMatchObject({ key: String(unpriced.merchantId), volume_usd: "0", counterparties: "1" });
  });

  it("rank by counterparties and receipts while no price is known", async () => {
    const { ranking } = await read<Ranking>("/leaderboard/merchants?window=7d", { priceOf: () => undefined });
    const counterparties = ranking.map((row) => Number(row.counterparties));
    expect(counterparties).toEqual([...counterparties].sort((a, b) => b - a));
    expect(ranking.map(({ volume_usd }) => volume_usd)).toEqual(ranking.map(() => "0"));
    expect(ranking.length).toBeGreaterThan(5);
  });

  it("forget what is older than their window, to the second of the hour", async () => {
    const { timestamp } = await stack.client.getBlock();
    const hour = timestamp - (timestamp % 3_600n);
    const lengthAt = async (now: bigint, window: string) =>
      (await read<Ranking>(`/leaderboard/merchants?window=${window}`, { now })).ranking.length;
    expect(await lengthAt(hour + 23n * 3_600n + 3_599n, "24h")).toBeGreaterThan(0);
    expect(await lengthAt(hour + 24n * 3_600n, "24h")).toBe(0);
    expect(await lengthAt(hour + 24n * 3_600n, "7d")).toBeGreaterThan(0);
    expect(await lengthAt(hour + 10_000n * 3_600n, "30d")).toBe(0);
    expect(await lengthAt(hour + 10_000n * 3_600n, "all")).toBeGreaterThan(0);
  });

  it.each([
    ["/leaderboard/agencies", 400, "board: must be one of merchants, services, solvers, agents, facilitators"],
    ["/leaderboard/agents?window=1h", 400, "window: must be one of 24h, 7d, 30d, all"],
    ["/leaderboard/agents?limit=0", 400, "limit: must be a whole number from 1 to 100"],
    ["/solvers/leaderboard?by=luck", 400, "by: must be one of volume, fills, win_rate, surplus"],
    ["/solvers/7/performance", 404, "Solver 7 not found"],
    ["/intents/7/competition", 404, "Intent 7 not found"],
  ])("answer %s with %d", async (path, status, error) => {
    const response = await fetch(`${stack.apiUrl}${path}`);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([status, error]);
  });
});

describe("rankings after a reorg that removed actions of all kinds", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  }, 180_000);
  afterAll(() => stack?.stop());

  it("agree with the logs", async () => {
    const world = await runLegalActions(stack, { seed: 21, count: 60 });
    await stack.indexed();
    const snapshot = await stack.client.snapshot();
    await runLegalActions(stack, { after: world, count: 20 });
    await stack.indexed();
    expect(await rankingDifferences(stack, DATABASE_SCHEMA)).toEqual([]);
    await stack.client.revert({ id: snapshot });
    await stack.client.mine({ blocks: 25 });
    await stack.indexed();
    expect(await differences(stack)).toEqual([]);
    expect(await rankingDifferences(stack, DATABASE_SCHEMA)).toEqual([]);
  });
});
