import type { Address } from "viem";
import type { ContractAddresses } from "../../config/contracts";
import type { Environment } from "../../config/environment";
import type { ListedToken } from "../../config/token-list";
import type { IndexDatabase } from "../indexed/database";
import type { IndexHead } from "../indexed/head";
import type { StoreDatabase } from "../offchain/open";
import type { Tokens } from "../tokens/token";
import type { ClientLimits } from "./client-limits";
import type { Clock } from "./clock";

/** Settings for operations and transports, and the indexed chain. */
export type Config = Pick<
  Environment,
  | "x402DevBypass"
  | "publicBaseUrl"
  | "trustProxy"
  | "writeTokens"
  | "metricsToken"
  | "writesPerMinute"
  | "storedBytesPerDay"
  | "rejectedPaymentsPerMinute"
  | "openMetadata"
  | "devHelpers"
  | "isDevelopment"
  | "checkAnswers"
  | "eventHeartbeatMs"
> & {
  /** Returns the key that signs cursors. */
  cursorSecret: () => Promise<string>;
  chainId: number;
  /** The curated tokens of this chain. Only they have dollar values. */
  listed: ReadonlyMap<Address, ListedToken>;
  /** Addresses of the protocol's contracts on this chain. */
  contracts: Readonly<ContractAddresses>;
};

/** The context of every operation. An operation that needs another subsystem adds it to its context type. */
export type BaseContext = {
  /** The index, read-only. */
  db: IndexDatabase;
  /** The off-chain store, opened on first use. */
  store: () => Promise<StoreDatabase>;
  config: Config;
  /** The tokens of the indexed chain. */
  tokens: Tokens;
  /** Limits on the requests of each client. Unset for no limits. */
  limits?: ClientLimits;
  /** The newest indexed block. */
  head: () => Promise<IndexHead>;
  /** The time at the newest indexed block. */
  clock: () => Promise<Clock>;
};
