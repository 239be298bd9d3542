import type { EventFilter } from "../src/api";

/** The filters of live events. */
export const eventFilters = [
  "name",
  "contract",
  "intent_id",
  "agent",
  "merchant_id",
  "account",
  "from_block",
  "after",
] as const satisfies readonly (keyof EventFilter)[];

/** Filters as they are typed. The service validates their values. */
export type SentEventFilter = { [Name in (typeof eventFilters)[number]]?: string };
