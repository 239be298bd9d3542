import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { StoreDatabase } from "./open";
import { chain } from "./schema";

/** The genesis block by which a chain is known; the first one that is seen is recorded. */
export async function recordedGenesis(db: StoreDatabase, chainId: number, seen: Hex): Promise<string> {
  const read = async () =>
    (await db.select({ hash: chain.genesisHash }).from(chain).where(eq(chain.chainId, chainId)))[0]?.hash;
  const known = await read();
  if (known !== undefined) return known;
  await db.insert(chain).values({ chainId, genesisHash: seen }).onConflictDoNothing();
  return (await read()) ?? seen;
}
