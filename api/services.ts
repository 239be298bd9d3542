import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { Address, PublicClient } from "viem";
import type { ContractName } from "../config/contracts";
import type { HeadReader } from "./index-head";
import type { Portfolio } from "./portfolio/portfolio";
import type { Readiness } from "./readiness";
import type { StoreDatabase } from "./store/open";
import type { Payments } from "./x402/paywall";

/** What the gateway needs of the index: to read it. Ponder's read-only database is one. */
export type IndexDatabase = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute">;

/** What the gateway needs of the chain. */
type ChainClient = Pick<PublicClient, "getCode" | "verifyTypedData">;

export type Config = {
  chainId: number;
  /** The addresses of the protocol's contracts on that chain. */
  contracts: Readonly<Record<ContractName, Address>>;
  x402DevBypass: boolean;
  /** By what address clients know this service; unset, by the one they used. */
  publicBaseUrl: string | undefined;
  /** Whether the forwarding headers of requests come from a proxy of ours. */
  trustProxy: boolean;
  /** Who may write; with none of them, everyone may. */
  writeTokens: readonly string[];
  /** How often one client may write; unset, as often as it likes. */
  writesPerMinute: number | undefined;
  /** How many bytes of new documents a client without a token may publish in a day; unset, any number. */
  documentBytesPerDay: number | undefined;
  /** Whether unsigned metadata of an intent may replace unsigned metadata, for development. */
  openMetadata: boolean;
  /** Whether bids may be made and selected here, for development, and not on chain. */
  devHelpers: boolean;
  /** What cursors are signed with; every process that serves the same index must have the same. */
  cursorSecret: string;
  /** Whether every answer is held against its schema before it is sent: in tests and in development. */
  checkAnswers: boolean;
};

/** Everything an operation is handed; it knows nothing of where these come from. */
export type Services = {
  db: IndexDatabase;
  clients: { chain: ChainClient };
  /** The off-chain store; it is opened when it is first needed. */
  store: () => Promise<StoreDatabase>;
  /** How paid operations are paid for; unset, they are not offered. */
  payments: Payments | undefined;
  config: Config;
  /** What wallets hold, on other chains than the indexed one too. */
  portfolio: Portfolio;
  /** Where the index stands. */
  head: HeadReader["recent"];
  /** Whether the service is ready to answer, and if not, why. */
  readiness: () => Promise<Readiness>;
  /** The time in unix seconds that decides what has expired. */
  now: HeadReader["now"];
};
