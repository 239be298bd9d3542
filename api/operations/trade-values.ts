import type { Address } from "viem";
import type { Config } from "../core/context";
import { z } from "../core/operation";
import { decimalText } from "../core/outputs";
import { plainText } from "../portfolio/decimal";

// What a trade is worth: of intents, fills and bids.

/** When a value is null. */
export const NO_DOLLARS = "Null if the token is not on the token list, or has no price in that hour.";

/** The dollar value of an amount at the price of the hour of an event. */
export const dollarsAt = (event: string) =>
  decimalText.nullable().openapi({ description: `In dollars, at the hour of the ${event}. ${NO_DOLLARS}` });

/** More digits than any token has. */
const PRICE_DECIMALS = 18;

export const Price = z
  .string()
  .regex(/^\d+(\.\d{1,18})?$/)
  .nullable()
  .openapi({
    description:
      "Output per input, in whole tokens, rounded to 18 decimals. Null unless both tokens are on the token list, and if the amount in is 0.",
    example: "0.95",
  });

export const SurplusBps = z
  .string()
  .regex(/^-?\d+$/)
  .nullable()
  .openapi({
    description:
      "The amount out beyond the intent's minimum, in basis points of the minimum, rounded down. Null if there is no amount out yet, or if the minimum is 0.",
    example: "55",
  });

export const SurplusUsd = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .nullable()
  .openapi({
    description: `The same in dollars, at the hour of the fill or the bid. ${NO_DOLLARS}`,
    example: "1.5",
  });

/** The tokens and the amounts of a trade. */
type Trade = { inputToken: Address; outputToken: Address; amountIn: bigint; amountOut: bigint };

/** The price of a trade, as {@link Price} describes it. */
export function priceOf({ inputToken, outputToken, amountIn, amountOut }: Trade, { listed }: Pick<Config, "listed">) {
  const [input, output] = [listed.get(inputToken), listed.get(outputToken)];
  if (!input || !output || amountIn === 0n) return null;
  const numerator = amountOut * 10n ** BigInt(input.decimals + PRICE_DECIMALS);
  const denominator = amountIn * 10n ** BigInt(output.decimals);
  return plainText({ digits: (2n * numerator + denominator) / (2n * denominator), scale: PRICE_DECIMALS });
}

/** The surplus over a minimum in basis points, as {@link SurplusBps} describes it. */
export function surplusBps(amountOut: bigint, minimum: bigint): string | null {
  if (minimum === 0n) return null;
  const scaled = 10_000n * (amountOut - minimum);
  // Division of bigints rounds toward zero.
  const isRoundedUp = scaled < 0n && scaled % minimum !== 0n;
  return String(scaled / minimum - (isRoundedUp ? 1n : 0n));
}
