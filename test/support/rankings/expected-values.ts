import type { rowsOnChain } from "../agreement";
import { dollarsOf, dollarText, hourAt, quotientText } from "./dollars";
import type { Market } from "./market";

type Rows = Awaited<ReturnType<typeof rowsOnChain>>;

/** The values of one row in a list. */
type Values = Record<string, string | null>;

/** The dollar value of an amount at the time of an event. Null if its token is not listed or has no price then. */
function dollars({ listed, priceOf }: Market, amount: bigint, token: string, time: string): string | null {
  const value = dollarsOf(amount, priceOf(token, hourAt(BigInt(time))), listed.get(token)?.decimals);
  return value === null ? null : dollarText(value);
}

function priceOf({ listed }: Market, { inputToken, outputToken }: Tokens, amountIn: bigint, amountOut: bigint) {
  const [input, output] = [listed.get(inputToken), listed.get(outputToken)];
  return input && output && amountIn > 0n
    ? quotientText(amountOut * 10n ** BigInt(input.decimals), amountIn * 10n ** BigInt(output.decimals), 18)
    : null;
}

type Tokens = { inputToken: string; outputToken: string };

/** What a trade of an intent is worth. */
function worth(market: Market, of: Rows["intent"][number], amountIn: string, amountOut: string, time: string) {
  const [sold, bought, minimum] = [BigInt(amountIn), BigInt(amountOut), BigInt(of.amountOutMin)];
  return {
    amount_in_usd: dollars(market, sold, of.inputToken, time),
    amount_out_usd: dollars(market, bought, of.outputToken, time),
    price: priceOf(market, of, sold, bought),
    surplus_bps: minimum === 0n ? null : String((10_000n * (bought - minimum)) / minimum),
    surplus_usd: dollars(market, bought - minimum, of.outputToken, time),
  };
}

/** GET /tokens/{address}/prices, without its chain and symbol. */
export function expectedPrices(
  { facts, listed, priceOf }: Market,
  token: string,
  { interval, from, to }: { interval: "hour" | "day"; from: bigint; to: bigint },
) {
  const seconds = interval === "hour" ? 3_600n : 86_400n;
  const [first, end] = [from - (from % seconds), to - (to % seconds) + seconds];
  const priced = facts.hours
    .map((hour) => ({ hour, price: priceOf(token, hour) }))
    .filter((one): one is { hour: bigint; price: bigint } => one.price != null)
    .sort((one, other) => Number(one.hour - other.hour));
  const points = [];
  for (let start = first; start < end; start += seconds) {
    const own = priced.filter(({ hour }) => hour >= start && hour < start + seconds).map(({ price }) => price);
    const text = (price: bigint | undefined) => (price === undefined ? null : quotientText(price, 10n ** 8n, 8));
    const ascending = [...own].sort((one, other) => (one < other ? -1 : 1));
    const day = { open: text(own[0]), high: text(ascending.at(-1)), low: text(ascending[0]) };
    points.push({ ...(interval === "day" && day), start: String(start), price: text(own.at(-1)) });
  }
  return {
    ...{ address: token, decimals: listed.get(token)?.decimals, interval, from: String(first), to: String(end) },
    points,
  };
}

/** The values of the rows of each list, by the id of the row. */
export function expectedValues(
  market: Market,
  rows: Rows,
): Record<string, { id: string; values: Map<string, Values> }> {
  const intents = new Map(rows.intent.map((intent) => [intent.intentId, intent]));
  const fills = new Map(rows.fill.map((fill) => [fill.intentId, fill]));
  const intentOf = (intentId: string) => intents.get(intentId) as Rows["intent"][number];
  const filled = (fill: Rows["fill"][number]) =>
    worth(market, intentOf(fill.intentId), fill.amountIn, fill.amountOut, fill.filledAt);
  const paid = (amount: string, token: string, time: string) => ({
    amount_usd: dollars(market, BigInt(amount), token, time),
  });
  return {
    "/intents": {
      id: "intent_id",
      values: new Map(
        rows.intent.map((intent) => {
          const { intentId, amountInMax, amountOutMin, submittedAt } = intent;
          const limits = worth(market, intent, amountInMax, amountOutMin, submittedAt);
          const fill = fills.get(intentId);
          const { price, surplus_bps, surplus_usd } = fill
            ? filled(fill)
            : { ...limits, surplus_bps: null, surplus_usd: null };
          return [intentId, { ...limits, price, surplus_bps, surplus_usd }];
        }),
      ),
    },
    "/fills": { id: "intent_id", values: new Map(rows.fill.map((fill) => [fill.intentId, filled(fill)])) },
    "/bids": {
      id: "bid_id",
      values: new Map(
        rows.bid.map(({ intentId, bidId, amountIn, amountOut, createdAt }) => [
          `${intentId}-${bidId}`,
          worth(market, intentOf(intentId), amountIn, amountOut, createdAt),
        ]),
      ),
    },
    "/quotes": {
      id: "quote_hash",
      values: new Map(rows.quote.map((quote) => [quote.quoteHash, paid(quote.amount, quote.token, quote.committedAt)])),
    },
    "/receipts": {
      id: "receipt_id",
      values: new Map(rows.receipt.map((one) => [one.receiptId, paid(one.amount, one.token, one.settledAt)])),
    },
    "/settlements": {
      id: "execution_hash",
      values: new Map(
        rows.settlement.map((one) => [one.executionHash, paid(one.grossAmount, one.token, one.executedAt)]),
      ),
    },
  };
}
