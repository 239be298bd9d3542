import type { PublicClient } from "viem";
import type { BaseContext } from "../core/context";
import type { EventFeed } from "../events/feed";
import type { Readiness } from "../monitor/readiness";
import type { Payments } from "../payments/paywall";
import type { Portfolio } from "../portfolio/portfolio";

/** Everything the gateway serves from: the base context and its subsystems. */
export type Context = BaseContext & {
  clients: { chain: Pick<PublicClient, "getCode" | "verifyTypedData"> };
  /** The feed of live events. */
  events: Pick<EventFeed, "subscribe">;
  /** Payment terms and facilitator; undefined if paid operations are not offered. */
  payments: Payments | undefined;
  /** Wallet holdings, on other chains than the indexed one too. */
  portfolio: Portfolio;
  readiness: () => Promise<Readiness>;
};
