import { and, desc, eq, gt, isNotNull, lte, sql } from "drizzle-orm";
import type { Address } from "viem";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { tokenPrice } from "../offchain/tables";
import { type Decimal, parseDecimal } from "../portfolio/decimal";

/** How old a price may be, in seconds. */
const MAX_AGE = 86_400n;

type Values = { chainId: number; address: Address; now: bigint; oldest: bigint };

const selectPrice = preparedQuery((db, { chainId, address, now, oldest }: Placeholders<Values>) =>
  db
    .select({ unitPrice: sql<string>`${tokenPrice.unitPrice}::text` })
    .from(tokenPrice)
    .where(
      and(
        eq(tokenPrice.chainId, chainId),
        eq(tokenPrice.address, address),
        lte(tokenPrice.hour, now),
        gt(tokenPrice.hour, oldest),
        isNotNull(tokenPrice.unitPrice),
      ),
    )
    .orderBy(desc(tokenPrice.hour))
    .limit(1),
);

/** The newest dollar price of a token's smallest unit in the last day; null without one. */
export async function newestUnitPrice(
  db: Parameters<typeof selectPrice>[0],
  values: Omit<Values, "oldest">,
): Promise<Decimal | null> {
  const [row] = await selectPrice(db, { ...values, oldest: values.now - MAX_AGE });
  return (row && parseDecimal(row.unitPrice)) ?? null;
}
