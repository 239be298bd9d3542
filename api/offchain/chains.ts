import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { StoreDatabase } from "./open";
import { chain } from "./tables";

/** Returns the recorded genesis hash of a chain. Records `seen` if there is none. */
export async function recordedGenesis(db: StoreDatabase, chainId: number, seen: Hex): Promise<string> {
  const read = async () =>
    (await db.select({ hash: chain.genesisHash }).from(chain).where(eq(chain.chainId, chainId)))[0]?.hash;
  const known = await read();
  if (known !== undefined) return known;
  await db.insert(chain).values({ chainId, genesisHash: seen }).onConflictDoNothing();
  return (await read()) ?? seen;
}
