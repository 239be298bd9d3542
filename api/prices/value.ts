import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { tokenPrice } from "../offchain/tables";

// Dollar values as SQL. Only tokens of the chain's list have prices, so a token without a row has no value.

const HOUR = sql.raw("3600");

/** The first second of the hour that contains a time. */
const hourOf = (time: SQLWrapper): SQL => sql`(${time} - ${time} % ${HOUR})`;

/** Rounds an exact number of dollars half up to 6 decimals, and formats it without trailing zeros. */
export const dollarText = (dollars: SQLWrapper): SQL<string | null> =>
  sql<string | null>`trim_scale(round(${dollars}, 6))::text`;

/**
 * The exact dollar value of an amount at the price of the hour of a time; null if the token has no price then. The query has
 * the placeholder `chainId`.
 */
export const dollarsOf = (amount: SQLWrapper, token: SQLWrapper, time: SQLWrapper): SQL =>
  sql`(SELECT ${amount} * ${tokenPrice.unitPrice} FROM ${tokenPrice}
    WHERE ${tokenPrice.chainId} = ${sql.placeholder("chainId")} AND ${tokenPrice.address} = ${token}
      AND ${tokenPrice.hour} = ${hourOf(time)})`;

/** The same, rounded to 6 decimals, as a field of a response. */
export const dollarField = (amount: Column | SQL, token: Column | SQL, time: Column | SQL) =>
  dollarText(dollarsOf(amount, token, time));
