import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { Address } from "viem";
import type { ContractName } from "../config/contracts";
import type { HeadReader } from "./index-head";

/** What the gateway needs of the index: to read it. Ponder's read-only database is one. */
export type IndexDatabase = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute">;

/** What the gateway needs of the chain. */
export type ChainClient = {
  getBlockNumber: (options: { cacheTime: number }) => Promise<bigint>;
};

type Config = {
  chainId: number;
  /** The addresses of the protocol's contracts on that chain. */
  contracts: Readonly<Record<ContractName, Address>>;
  /** How far behind the chain's head the index may be and still count as caught up. */
  maxLagBlocks: bigint;
  x402DevBypass: boolean;
  /** What cursors are signed with; every process that serves the same index must have the same. */
  cursorSecret: string;
  /** Whether every answer is held against its schema before it is sent: in tests and in development. */
  checkAnswers: boolean;
};

/** Everything an operation is handed; it knows nothing of where these come from. */
export type Services = {
  db: IndexDatabase;
  clients: { chain: ChainClient };
  config: Config;
  /** Where the index stands. */
  head: HeadReader["read"];
  /** The time in unix seconds that decides what has expired. */
  now: HeadReader["now"];
};
