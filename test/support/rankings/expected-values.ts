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
