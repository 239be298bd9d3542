import type { PublicClient } from "viem";
import type { BaseContext } from "../core/context";
import type { EventFeed } from "../events/feed";
import type { Readiness } from "../monitor/readiness";
import type { Payments } from "../payments/paywall";
import type { Portfolio } from "../portfolio/portfolio";

/** The gateway's context: the base context and the subsystems. */
export type Context = BaseContext & {
  clients: { chain: Pick<PublicClient, "getCode" | "verifyTypedData"> };
  /** The feed of live events. */
  events: Pick<EventFeed, "subscribe">;
  /** Payment terms and facilitator. Undefined if payment is not configured. */
  payments: Payments | undefined;
  /** Wallet holdings, also on chains other than the indexed one. */
  portfolio: Portfolio;
  readiness: () => Promise<Readiness>;
};
