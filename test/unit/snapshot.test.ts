import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import type { Activity, ChainReading, Holding } from "../../api/portfolio/provider";
import { PortfolioSnapshot, snapshotOf } from "../../api/portfolio/snapshot";
import { type ChainSlug, chains as chainFacts } from "../../config/chains";
import { runs, seed } from "../support/seed";

const wallet: Address = `0x${"a0".repeat(20)}`;
const noon = new Date("2026-01-02T12:00:00.000Z");
const snapshot = (readings: ChainReading[]) => snapshotOf(wallet, noon, "test", readings);

const addressOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;

const holding = (part: Partial<Holding>): Holding => ({
  contract: null,
  symbol: "X",
  name: "X token",
  decimals: 18,
  logo: null,
  rawBalance: 10n ** 18n,
  price: null,
  stablecoin: false,
  ...part,
});

const reading = (
  chain: ChainSlug,
  holdings: Holding[],
  part: Partial<ChainReading & { ok: true }> = {},
): ChainReading => ({ chain, ok: true, holdings, complete: true, activity: [], warnings: [], ...part });

const dollars = (digits: bigint, scale = 0) => ({ digits, scale });

// An independent implementation: values are fractions of bigints, written by long division.

type Fraction = { numerator: bigint; denominator: bigint };

const tenTo = (power: number) => BigInt(`1${"0".repeat(power)}`);

/** Denominators are powers of ten, so that the larger of two is a multiple of the other. */
const sum = (fractions: Fraction[]): Fraction =>
  fractions.reduce(
    (left, right) => {
      const denominator = left.denominator > right.denominator ? left.denominator : right.denominator;
      const scaled = (one: Fraction) => one.numerator * (denominator / one.denominator);
      return { numerator: scaled(left) + scaled(right), denominator };
    },
    { numerator: 0n, denominator: 1n },
  );

const isLess = (left: Fraction, right: Fraction) =>
  left.numerator * right.denominator < right.numerator * left.denominator;

/** A fraction's digits by long division. The remainder after the last one decides the rounding. */
function written({ numerator, denominator }: Fraction, places: number | "all"): string {
  let rest = numerator % denominator;
  let digits = "";
  while (places === "all" ? rest > 0n : digits.length < places) {
    digits += String((rest * 10n) / denominator);
    rest = (rest * 10n) % denominator;
  }
  const raised = BigInt(`${numerator / denominator}${digits}`) + (rest + rest >= denominator && rest > 0n ? 1n : 0n);
  const all = String(raised).padStart(digits.length + 1, "0");
  const whole = all.slice(0, all.length - digits.length);
  let fraction = all.slice(all.length - digits.length);
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  return fraction ? `${whole}.${fraction}` : whole;
}

type Known = { chain: ChainSlug; held: Holding; worth: Fraction | undefined };

const worthOf = ({ rawBalance, decimals, price }: Holding): Fraction | undefined =>
  decimals === null || price === null
    ? undefined
    : { numerator: rawBalance * price.digits, denominator: tenTo(decimals) * tenTo(price.scale) };

function expectedTotal(known: Known[], complete: boolean): string | null {
  const worths = known.flatMap(({ worth }) => (worth ? [worth] : []));
  if (worths.length === 0) return known.length === 0 && complete ? "0" : null;
  return written(sum(worths), 2);
}

/** Selection sort: the most valuable first, equal values by chain, then by contract. */
function expectedTop(known: Known[], order: ChainSlug[]): Known[] {
  const left = known.filter(({ worth }) => worth);
  const top: Known[] = [];
  while (top.length < 10 && left.length > 0) {
    let best = left[0] as Known;
    for (const other of left) {
      const [a, b] = [best.worth as Fraction, other.worth as Fraction];
      const places = order.indexOf(other.chain) - order.indexOf(best.chain);
      const isEarlier = places < 0 || (places === 0 && (other.held.contract ?? "") < (best.held.contract ?? ""));
      if (isLess(a, b) || (!isLess(b, a) && isEarlier)) best = other;
    }
    left.splice(left.indexOf(best), 1);
    top.push(best);
  }
  return top;
}

function expectedSummary(readings: ChainReading[]) {
  const order = readings.map(({ chain }) => chain);
  const knownOf = (one: ChainReading): Known[] =>
    one.ok ? one.holdings.map((held) => ({ chain: one.chain, held, worth: worthOf(held) })) : [];
  const all = readings.flatMap(knownOf);
  const countsOf = (known: Known[]) => ({
    tokenCount: known.length,
    pricedTokenCount: known.filter(({ worth }) => worth).length,
    unpricedTokenCount: known.filter(({ worth }) => !worth).length,
  });
  const complete = readings.every((one) => one.ok && one.complete);
  return {
    totalValueUsd: expectedTotal(all, complete),
    ...countsOf(all),
    stablecoinValueUsd: expectedTotal(
      all.filter(({ held }) => held.stablecoin),
      complete,
    ),
    chains: readings.map((one) => ({
      chain: one.chain,
      ...countsOf(knownOf(one)),
      totalValueUsd: expectedTotal(knownOf(one), one.ok && one.complete),
    })),
    topHoldings: expectedTop(all, order).map(({ chain, held, worth }) => ({
      chain,
      contract: held.contract,
      symbol: held.symbol,
      name: held.name,
      valueUsd: written(worth as Fraction, 6),
    })),
    warnings: readings.flatMap((one) => {
      const unpriced = countsOf(knownOf(one)).unpricedTokenCount;
      const sentences = [
        ...(one.ok ? one.warnings : [one.reason]),
        ...(unpriced > 1 ? [`${unpriced} tokens have no price and are not in the totals`] : []),
        ...(unpriced === 1 ? ["1 token has no price and is not in the totals"] : []),
      ];
      return sentences.map((sentence) => `${one.chain}: ${sentence}`);
    }),
  };
}

const uint256 = fc.oneof(
  fc.bigInt({ min: 1n, max: 10_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 24n }),
  fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
);
const decimals = fc.oneof(fc.constantFrom(0, 2, 6, 8, 18), fc.integer({ min: 0, max: 255 }));
// Includes few distinct prices and balances, so that values are often equal, and often end in a 5.
const price = fc.oneof(
  fc.constantFrom(dollars(1n), dollars(5n, 1), dollars(5n, 3), dollars(5n, 7), dollars(10n ** 8n, 8)),
  fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 20n }), scale: fc.integer({ min: 0, max: 24 }) }),
);
const arbitraryHolding = fc.record({
  contract: fc.option(fc.integer({ min: 0, max: 15 }).map(addressOf)),
  symbol: fc.option(fc.string({ maxLength: 4 })),
  name: fc.option(fc.string({ maxLength: 4 })),
  decimals: fc.option(decimals, { freq: 8 }),
  logo: fc.constant(null),
  rawBalance: fc.oneof(fc.constantFrom(1n, 10n, 5n), uint256),
  price: fc.option(price, { freq: 4 }),
  stablecoin: fc.boolean(),
});
const arbitraryReadings = fc
  .uniqueArray(fc.constantFrom(...(Object.keys(chainFacts) as ChainSlug[])), { minLength: 1, maxLength: 6 })
  .chain((slugs) =>
    fc.tuple(
      ...slugs.map((chain) =>
        fc.oneof(
          { weight: 5, arbitrary: arbitraryChain(chain) },
          { weight: 1, arbitrary: fc.constant<ChainReading>({ chain, ok: false, reason: "does not answer" }) },
        ),
      ),
    ),
  );

function arbitraryChain(chain: ChainSlug): fc.Arbitrary<ChainReading> {
  return fc
    .record({
      holdings: fc.uniqueArray(arbitraryHolding, { maxLength: 8, selector: ({ contract }) => contract }),
      complete: fc.boolean(),
      warnings: fc.array(fc.constantFrom("one sentence", "another"), { maxLength: 2 }),
    })
    .map((part) => ({ chain, ok: true, activity: [], ...part }));
}

/** A token of a snapshot. */
function expectedToken(chain: ChainSlug, held: Holding) {
  const scale = held.decimals === null ? undefined : tenTo(held.decimals);
  const worth = worthOf(held);
  const { price } = held;
  return {
    chain,
    chainId: `eip155:${chainFacts[chain].chainId}`,
    contract: held.contract,
    symbol: held.symbol,
    name: held.name,
    decimals: held.decimals,
    logo: held.logo,
    rawBalance: String(held.rawBalance),
    balance: scale ? written({ numerator: held.rawBalance, denominator: scale }, "all") : null,
    priceUsd: price ? written({ numerator: price.digits, denominator: tenTo(price.scale) }, "all") : null,
    valueUsd: worth ? written(worth, 6) : null,
  };
}

/** Compares like `toEqual`, which takes most of the time of a test with many comparisons. */
const expectSame = (actual: unknown, expected: unknown) => {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
};

describe("a snapshot", () => {
  // 300 portfolios in total, and 3,000 in `npm run test:deep`, in batches that end long before the timeout on a busy machine.
  const batches = Array.from({ length: 3 }, (_, batch) => batch);

  it.each(batches)("sums, counts and orders like an implementation with fractions, batch %i", async (batch) => {
    // Yields between runs: Vitest gives up on a worker that doesn't respond for a minute.
    await fc.assert(
      fc.asyncProperty(arbitraryReadings, async (readings) => {
        await new Promise(setImmediate);
        const { summary, tokens } = snapshot(readings);
        expectSame(summary, expectedSummary(readings));
        const held = readings.flatMap((one) =>
          one.ok ? one.holdings.map((each) => ({ chain: one.chain, each })) : [],
        );
        expect(tokens).toHaveLength(held.length);
        const shown = held.map(({ chain, each }) =>
          tokens.find((token) => token.chain === chain && token.contract === each.contract),
        );
        const expected = held.map(({ chain, each }) => expectedToken(chain, each));
        expectSame(shown, expected);
      }),
      { seed: seed + batch, numRuns: runs(100) },
    );
  });

  it("has the documented fields and formats for any holdings", () => {
    fc.assert(
      fc.property(arbitraryReadings, (readings) => {
        const made = snapshot(readings);
        expectSame(PortfolioSnapshot.strict().parse(made), made);
      }),
    );
  });

  it("orders tokens by requested chain, then by value, then unpriced ones by contract", () => {
    const { tokens } = snapshot([
      reading("polygon", [
        holding({ contract: addressOf(4) }),
        holding({ contract: addressOf(3), price: dollars(2n) }),
        holding({ contract: addressOf(2), price: dollars(2n) }),
        holding({ contract: null, price: dollars(5n) }),
        holding({ contract: addressOf(1) }),
      ]),
      reading("base", [holding({ contract: addressOf(9), price: dollars(100n) })]),
    ]);
    expect(tokens.map(({ chain, contract }) => [chain, contract])).toEqual([
      ["polygon", null],
      ["polygon", addressOf(2)],
      ["polygon", addressOf(3)],
      ["polygon", addressOf(1)],
      ["polygon", addressOf(4)],
      ["base", addressOf(9)],
    ]);
  });

  it("rounds a total from exact values, not from rounded ones", () => {
    const half = holding({ decimals: 0, rawBalance: 1n, price: dollars(5n, 7) });
    const { summary, tokens } = snapshot([
      reading(
        "base",
        [1, 2, 3].map((number) => ({ ...half, contract: addressOf(number), price: dollars(4n, 3) })),
      ),
      reading("ethereum", [half]),
    ]);
    expect(tokens.map(({ valueUsd }) => valueUsd)).toEqual(["0.004", "0.004", "0.004", "0.000001"]);
    expect(summary.totalValueUsd).toBe("0.01");
    expect(summary.chains.map(({ totalValueUsd }) => totalValueUsd)).toEqual(["0.01", "0"]);
  });

  it.each([
    ["0.004999", dollars(4_999n, 6), "0"],
    ["0.005", dollars(5n, 3), "0.01"],
    ["0.995", dollars(995n, 3), "1"],
    ["1234.5", dollars(12_345n, 1), "1234.5"],
  ])("rounds a total of %s half up to at most two fraction digits", (_, price, total) => {
    const { summary } = snapshot([reading("base", [holding({ decimals: 0, rawBalance: 1n, price })])]);
    expect(summary.totalValueUsd).toBe(total);
  });

  it("has value 0 without holdings, and null if prices or holdings may be missing", () => {
    const totals = (readings: ChainReading[]) => {
      const { totalValueUsd, stablecoinValueUsd } = snapshot(readings).summary;
      return [totalValueUsd, stablecoinValueUsd];
    };
    expect(totals([reading("base", [])])).toEqual(["0", "0"]);
    expect(totals([reading("base", [holding({})])])).toEqual([null, "0"]);
    expect(totals([reading("base", [holding({ stablecoin: true })])])).toEqual([null, null]);
    expect(totals([reading("base", [], { complete: false })])).toEqual([null, null]);
    expect(totals([reading("base", []), { chain: "polygon", ok: false, reason: "failed" }])).toEqual([null, null]);
  });

  it("counts only tokens marked as stablecoins, whatever their name", () => {
    const { summary } = snapshot([
      reading("base", [
        holding({ contract: addressOf(1), symbol: "USDC", price: dollars(1n), stablecoin: true }),
        holding({ contract: addressOf(2), symbol: "USDC", price: dollars(1_000n) }),
      ]),
    ]);
    expect(summary).toMatchObject({ totalValueUsd: "1001", stablecoinValueUsd: "1" });
  });

  it("names a failed chain in a warning, and does not show it as empty", () => {
    const { chains, summary } = snapshot([
      reading("base", [holding({ price: dollars(2n) })], { warnings: ["recent activity could not be read"] }),
      { chain: "polygon", ok: false, reason: "did not answer in time" },
    ]);
    expect(chains).toEqual(["base", "polygon"]);
    expect(summary.warnings).toEqual(["base: recent activity could not be read", "polygon: did not answer in time"]);
    expect(summary.chains[1]).toEqual({
      chain: "polygon",
      tokenCount: 0,
      pricedTokenCount: 0,
      unpricedTokenCount: 0,
      totalValueUsd: null,
    });
  });

  it("has the newest twenty activities of all chains, those without a time last", () => {
    const at = (seconds: number | null, block: number): Activity => ({
      hash: `0x${block.toString(16).padStart(64, "0")}`,
      from: wallet,
      to: null,
      blockNumber: BigInt(block),
      timestamp: seconds === null ? null : new Date(seconds * 1000),
    });
    const { recentActivity } = snapshot([
      reading("base", [], { activity: [at(100, 9), at(50, 8), at(null, 7)] }),
      reading("ethereum", [], { activity: Array.from({ length: 20 }, (_, index) => at(99 - index, 500 - index)) }),
    ]);
    expect(recentActivity).toHaveLength(20);
    expect(recentActivity[0]).toEqual({
      chain: "base",
      hash: at(100, 9).hash,
      from: wallet,
      to: null,
      blockNumber: "9",
      timestamp: "1970-01-01T00:01:40.000Z",
    });
    expect(recentActivity.slice(1).map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: 19 }, (_, index) => String(500 - index)),
    );
  });
});
