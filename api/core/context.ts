import type { Address } from "viem";
import type { ContractName } from "../../config/contracts";
import type { Environment } from "../../config/environment";
import type { IndexDatabase } from "../index/database";
import type { HeadReader } from "../index/head";
import type { StoreDatabase } from "../store/open";

/** The settings that operations and transports use, and the indexed chain. */
export type Config = Pick<
  Environment,
  | "x402DevBypass"
  | "publicBaseUrl"
  | "trustProxy"
  | "writeTokens"
  | "writesPerMinute"
  | "documentBytesPerDay"
  | "openMetadata"
  | "devHelpers"
  | "cursorSecret"
  | "checkAnswers"
  | "eventHeartbeatMs"
> & {
  chainId: number;
  /** The addresses of the protocol's contracts on that chain. */
  contracts: Readonly<Record<ContractName, Address>>;
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
