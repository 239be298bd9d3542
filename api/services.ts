import type { SQL } from "drizzle-orm";

/** What the gateway needs of the index: to run a query. Ponder's read-only database is one. */
type IndexDatabase = {
  execute: (query: SQL) => Promise<{ rows: Record<string, unknown>[] }>;
};

/** What the gateway needs of the chain. */
type ChainClient = {
  getBlockNumber: (options: { cacheTime: number }) => Promise<bigint>;
};

/** Everything the gateway is handed; it knows nothing of where these come from. */
export type Services = {
  db: IndexDatabase;
  chain: ChainClient;
  config: {
    chainId: number;
    /** How far behind the chain's head the index may be and still count as caught up. */
    maxLagBlocks: bigint;
    x402DevBypass: boolean;
  };
};
