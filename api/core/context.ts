import type { Address } from "viem";
import type { ContractName } from "../../config/contracts";
import type { IndexDatabase } from "../index/database";
import type { HeadReader } from "../index/head";
import type { StoreDatabase } from "../store/open";

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
  /** The interval of heartbeats on an idle event stream. */
  eventHeartbeatMs: number;
};

/** What every operation receives. An operation that needs a subsystem names it in the type of its context. */
export type BaseContext = {
  /** The index, read-only. */
  db: IndexDatabase;
  /** The off-chain store, opened on first use. */
  store: () => Promise<StoreDatabase>;
  config: Config;
  /** The newest indexed block. */
  head: HeadReader["recent"];
  /** The time in unix seconds that decides what has expired. */
  now: HeadReader["now"];
};
