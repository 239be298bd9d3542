import type { PublicClient } from "viem";
import type { Simulate } from "../actions/simulate";
import type { BaseContext } from "../core/context";
import type { EventFeed } from "../events/feed";
import type { Readiness } from "../monitor/readiness";
import type { Payments } from "../payments/configured";
import type { Portfolio } from "../portfolio/portfolio";

/** The gateway's context: the base context and the subsystems. */
export type Context = BaseContext & {
  clients: { chain: Pick<PublicClient, "getCode" | "verifyTypedData"> };
  /** Simulates transactions on a node. */
  simulate: Simulate;
  /** The feed of live events. */
  events: Pick<EventFeed, "subscribe">;
  /** Payment terms and facilitator. Undefined if payment is not configured. */
  payments: Payments | undefined;
  /** Wallet holdings, also on chains other than the indexed one. */
  portfolio: Portfolio;
  /** The readiness, and the number of payments that a reorg has left unpaid; null if unknown. */
  readiness: () => Promise<Readiness & { unpaid_payments: number | null }>;
};
