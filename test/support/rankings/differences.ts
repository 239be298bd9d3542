import type { Protocol } from "../../../stack/local/protocol";
import { seededRandom } from "../actions/random";
import { rowsOnChain } from "../agreement";
import { readChain } from "../agreement/chain";
import { criteria, expectedCommerce, expectedLeaderboard, expectedPerformance, expectedSolvers } from "./expected";
import { expectedCompetition, type OffchainBid } from "./expected-bids";
import { expectedReputations, expectedVerdicts, type Records, valuesOfReputation } from "./expected-records";
import { expectedSeries, participantParameters, type SeriesRequest, seriesQuery } from "./expected-series";
import { expectedPrices, expectedValues } from "./expected-values";
import { type Facts, factsOf } from "./facts";
import { rankingGateway } from "./gateway";
import { boardNames, type Market, marketOf, windowNames } from "./market";

type Stack = Omit<Protocol, "write"> & { databaseUrl: string };

type Compare = (path: string, expected: unknown, pick?: (answer: never) => unknown) => Promise<void>;

/**
 * Returns the differences between the money that the gateway reports and the money computed from all facts of the chain, one
 * line each: values of rows, rankings, records of solvers, series, competitions, reputations and verdicts, at several times.
 */
export async function rankingDifferences(stack: Stack, schema: string, fromBlock = 0n): Promise<string[]> {
  const facts = await factsOf(stack, fromBlock);
  const { timestamp } = await stack.client.getBlock();
  const differences: string[] = [];
  const offchain = offchainBids(facts, timestamp);
  const [rows, { timeOf }] = [await rowsOnChain(stack, fromBlock), await readChain(stack, fromBlock)];
  // Later, more of it is outside of the windows, and intents have expired.
  for (const now of [timestamp, timestamp + 1_800n, timestamp + 3n * 86_400n, timestamp + 20n * 86_400n]) {
    const market = marketOf(facts, now);
    const gateway = await rankingGateway({ ...stack, schema, market, offchain });
    try {
      const compare: Compare = async (path, expected, pick = (answer) => answer) => {
        const answer = await gateway.get(path);
        const [actual, wanted] = [JSON.stringify(sorted(pick(answer as never))), JSON.stringify(sorted(expected))];
        if (actual !== wanted) differences.push(`${path} at ${now}:\n  ${actual}\n  ${wanted}`);
      };
      await compareRankings(market, compare);
      await compareSeries(market, compare);
      await comparePrices(market, compare);
      await compareCompetitions(market, offchain, compare);
      await compareRecords({ rows, timeOf, market }, facts.hours, compare);
      if (now === timestamp) differences.push(...(await valueDifferences(gateway.get, market, rows)));
    } finally {
      await gateway.close();
    }
  }
  return differences;
}

async function compareRankings(market: Market, compare: Compare): Promise<void> {
  for (const window of windowNames) {
    for (const board of boardNames) {
      const ranked = expectedLeaderboard(market, board, window);
      await compare(`/leaderboard/${board}?window=${window}&limit=100`, ranked);
      for (const limit of [1, 2])
        await compare(`/leaderboard/${board}?window=${window}&limit=${limit}`, {
          ...ranked,
          ranking: ranked.ranking.slice(0, limit),
        });
    }
    for (const by of criteria)
      await compare(`/solvers/leaderboard?by=${by}&window=${window}&limit=100`, expectedSolvers(market, by, window));
  }
  for (const solver of market.facts.solvers)
    await compare(`/solvers/${solver.solverId}/performance`, expectedPerformance(market, solver));
  const expected = expectedCommerce(market);
  await compare("/analytics/commerce", expected, (answer: Record<string, unknown>) => ({
    ...Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
    settled_volume_usd: (answer.summary as Record<string, unknown>).settled_volume_usd,
  }));
}

/** Series of the last 30 days: of all, and of each kind of participant. */
async function compareSeries(market: Market, compare: Compare): Promise<void> {
  const { facts, listed, now } = market;
  const range = { from: now - 30n * 86_400n, to: now };
  const [token] = listed.keys();
  const requests: SeriesRequest[] = [];
  for (const interval of ["hour", "day", "week"] as const)
    for (const metric of ["receipt_volume", "fill_volume"])
      requests.push(
        { metric, interval, unit: "usd", ...range },
        ...(token === undefined ? [] : [{ metric, interval, unit: "usd", token, ...range } as const]),
      );
  const keys = {
    merchant_id: facts.receipts[0]?.merchantId,
    service_id: facts.receipts.at(-1)?.serviceNumericId,
    agent: facts.receipts.at(-1)?.agent,
    facilitator: facts.receipts.find(({ facilitator }) => facilitator !== null)?.facilitator,
    solver: facts.fills[0]?.solver,
  };
  for (const parameter of participantParameters) {
    const key = keys[parameter];
    if (!key) continue;
    const [volume, ...counts] =
      parameter === "solver" ? ["fill_volume", "fills", "bids"] : ["receipt_volume", "receipts"];
    const participant = { parameter, key };
    for (const interval of ["day", "week"] as const) {
      requests.push({ metric: volume ?? "", interval, unit: "usd", participant, ...range });
      if (token !== undefined)
        requests.push({ metric: volume ?? "", interval, unit: "raw", token, participant, ...range });
      for (const metric of counts) requests.push({ metric, interval, unit: "raw", participant, ...range });
    }
  }
  for (const request of requests)
    await compare(`/analytics/timeseries?${seriesQuery(request)}`, expectedSeries(market, request));
}

/** The prices of every listed token in the last weeks. */
async function comparePrices(market: Market, compare: Compare): Promise<void> {
  const { listed, now } = market;
  for (const token of listed.keys())
    for (const [interval, days] of [
      ["hour", 25n],
      ["day", 90n],
    ] as const) {
      const range = { interval, from: now - days * 86_400n, to: now };
      await compare(
        `/tokens/${token}/prices?interval=${interval}&from=${range.from}&to=${range.to}`,
        expectedPrices(market, token, range),
        ({ chain_id: _, symbol: __, ...answer }: Record<string, unknown>) => answer,
      );
    }
}

async function compareCompetitions(
  { facts, now }: Market,
  offchain: readonly OffchainBid[],
  compare: Compare,
): Promise<void> {
  for (const { intentId } of facts.intents)
    for (const page of [
      { limit: 100, offset: 0 },
      { limit: 2, offset: 1 },
    ])
      await compare(
        `/intents/${intentId}/competition?limit=${page.limit}&offset=${page.offset}`,
        expectedCompetition(facts, offchain, intentId, now, page),
      );
}

/** The reputations of all merchants and agents, and the verdicts about all records. */
async function compareRecords(records: Records, hours: readonly bigint[], compare: Compare): Promise<void> {
  for (const { path, ...expected } of expectedReputations(records)) await compare(path, expected, valuesOfReputation);
  const [token] = records.market.listed.keys();
  if (token === undefined) return;
  for (const amount of [1n, 10n ** 12n])
    for (const { path, expected } of expectedVerdicts(records, { token, amount }, hours))
      await compare(path, expected, ({ reasons, ...answer }: { reasons: { code: string; level: string }[] }) => ({
        ...answer,
        levels: reasons.map(({ code, level }) => [code, level]),
      }));
}

type Answer = Record<string, unknown> & { pagination: { next_cursor: string | null } };

/** The differences between the values of rows in lists and those computed from all rows of the chain. */
async function valueDifferences(
  get: (path: string) => Promise<unknown>,
  market: Market,
  rows: Records["rows"],
): Promise<string[]> {
  const differences: string[] = [];
  for (const [path, { id, values }] of Object.entries(expectedValues(market, rows))) {
    let count = 0;
    for (let cursor: string | null = ""; cursor !== null; ) {
      const answer = (await get(`${path}?limit=100${cursor && `&cursor=${cursor}`}`)) as Answer;
      for (const item of Object.values(answer).find(Array.isArray) as Record<string, unknown>[]) {
        count++;
        const expected = values.get(String(item[id])) ?? {};
        const actual = Object.fromEntries(Object.keys(expected).map((name) => [name, item[name]]));
        const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
        if (found !== wanted || found === "{}") differences.push(`${path} ${item[id]}:\n  ${found}\n  ${wanted}`);
      }
      cursor = answer.pagination.next_cursor;
    }
    if (count !== values.size) differences.push(`${path}: ${count} rows instead of ${values.size}`);
  }
  return differences;
}

/** Off-chain bids on some intents, near the on-chain ones and equal to them. */
function offchainBids({ intents, bidRows }: Facts, now: bigint): OffchainBid[] {
  const random = seededRandom(intents.length);
  let number = 1_000_000_000n;
  return intents.flatMap(({ intentId }) => {
    const own = bidRows.filter((bid) => bid.intentId === intentId);
    const isSelected = random.chance(0.2);
    return Array.from({ length: random.below(4) }, (_, index): OffchainBid => {
      const like = random.pick(own);
      return {
        number: ++number,
        intentId,
        solver: `0x${"ab".repeat(20)}`,
        amountIn: BigInt(like?.amountIn ?? random.below(100)),
        amountOut: BigInt(like?.amountOut ?? random.below(100)) + BigInt(random.below(2)),
        fee: BigInt(random.below(2)),
        validUntil: now + BigInt(random.below(5) - 2) * 86_400n,
        status: index === 0 && isSelected ? "SELECTED" : random.pick(["OPEN", "REJECTED"] as const),
        createdAt: now - BigInt(random.below(100)),
      };
    });
  });
}

/** A value with sorted keys. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : value;
