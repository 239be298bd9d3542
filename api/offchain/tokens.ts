import { and, eq, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Address } from "viem";
import type { StoreDatabase } from "./open";
import { token } from "./tables";

export type StoredToken = Pick<typeof token.$inferSelect, "symbol" | "name" | "decimals"> & {
  /** Milliseconds until the contract is read again; null if it has answered. */
  retryMs: number | null;
};

/** How long rows about addresses that are not tokens are kept after their retry time. */
const EXPIRED_MS = 60 * 60 * 1_000;

/** Reads the tokens of a chain by address. */
export async function readTokens(
  db: StoreDatabase,
  chainId: number,
  addresses: readonly Address[],
): Promise<ReadonlyMap<string, StoredToken>> {
  const rows = await db
    .select({
      address: token.address,
      symbol: token.symbol,
      name: token.name,
      decimals: token.decimals,
      retryMs: sql<number | null>`extract(epoch FROM ${token.retryAt} - clock_timestamp())::float8 * 1000`,
    })
    .from(token)
    .where(and(eq(token.chainId, chainId), inArray(token.address, [...addresses])));
  return new Map(rows.map((row) => [row.address, row]));
}

/** Reads the tokens of a chain with this symbol or name, in any case. */
export async function readTokensNamed(
  db: StoreDatabase,
  chainId: number,
  text: string,
  limit: number,
): Promise<readonly (typeof token.$inferSelect)[]> {
  const having = (column: typeof token.symbol | typeof token.name) =>
    db
      .select()
      .from(token)
      .where(and(eq(token.chainId, chainId), eq(sql`lower(${column})`, sql`lower(${text}::text)`)))
      .orderBy(token.address)
      .limit(limit);
  // Two queries, because each has an index.
  const [bySymbol, byName] = await Promise.all([having(token.symbol), having(token.name)]);
  return [...bySymbol, ...byName.filter(({ address }) => bySymbol.every((other) => other.address !== address))];
}

/** Stores a token. A contract's answer is kept: a later failure to read it does not replace it. */
export async function saveToken(
  db: StoreDatabase,
  chainId: number,
  address: Address,
  { symbol, name, decimals, retryMs }: StoredToken,
): Promise<void> {
  const retryAt = retryMs === null ? null : sql`clock_timestamp() + make_interval(secs => ${retryMs / 1_000}::float8)`;
  const set = { symbol, name, decimals, retryAt };
  await db
    .insert(token)
    .values({ chainId, address, ...set })
    .onConflictDoUpdate({ target: [token.chainId, token.address], set, setWhere: isNotNull(token.retryAt) });
}

/** Deletes expired rows about addresses that are not tokens. Anyone can ask for any address. */
export async function pruneTokens(db: StoreDatabase): Promise<void> {
  await db.delete(token).where(lt(token.retryAt, sql`now() - make_interval(secs => ${EXPIRED_MS / 1_000})`));
}
