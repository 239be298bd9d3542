import { sql } from "drizzle-orm";
import { type Address, zeroAddress } from "viem";
import { intent } from "../../ponder.schema";
import type { Caller } from "../core/operation";
import type { IndexDatabase } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import type { Token, Tokens } from "../tokens/token";
import { eventNames, protocolEvents } from "./protocol-events";

/** What the sentences about events need beyond the events' arguments. */
export type EventFacts = {
  /** A token by its address. */
  tokens: ReadonlyMap<string, Token>;
  /** The tokens of an intent by its id. */
  intents: ReadonlyMap<string, { inputToken: Address; outputToken: Address }>;
};

export const noFacts: EventFacts = { tokens: new Map(), intents: new Map() };

const isAddress = (value: unknown): value is Address => typeof value === "string" && value.startsWith("0x");

type Event = { name: string; args: Readonly<Record<string, unknown>> };

const amountsOf = (name: string) => protocolEvents.get(name)?.amounts ?? "none";

/** The events with amounts of an intent's tokens, which are not among their arguments. */
export const eventsAboutIntents = eventNames.filter((name) => amountsOf(name) === "intent");

/** Whether the sentence about an event may need facts. */
export const needsFacts = (name: string) => amountsOf(name) !== "none";

/** The most intents and tokens of one page or transaction that are looked up. The sentences about others have raw amounts. */
const MAX_INTENTS = 1_000;
const MAX_TOKENS = 100;

const selectTokens = preparedQuery((db: IndexDatabase, { ids }: Placeholders<{ ids: string[] }>) =>
  db
    .select({ intentId: intent.intentId, inputToken: intent.inputToken, outputToken: intent.outputToken })
    .from(intent)
    .where(sql`${intent.intentId} = ANY(${ids}::numeric[])`),
);

/** The tokens of the intents that events are about. */
export async function intentsOf(db: IndexDatabase, events: readonly Event[]): Promise<EventFacts["intents"]> {
  const ids = new Set(events.flatMap(({ name, args }) => (amountsOf(name) === "intent" ? String(args.intentId) : [])));
  const rows = ids.size === 0 ? [] : await selectTokens(db, { ids: [...ids].slice(0, MAX_INTENTS) });
  return new Map(rows.map(({ intentId, ...tokens }) => [String(intentId), tokens]));
}

/** Finds the facts for sentences about events. Waits up to `waitMs` for tokens that were never read. */
export async function factsAbout(
  tokens: Tokens,
  events: readonly Event[],
  intents: EventFacts["intents"],
  waitMs: number,
  caller?: Caller,
): Promise<EventFacts> {
  const addresses = new Set<Address>();
  for (const { inputToken, outputToken } of intents.values()) addresses.add(inputToken).add(outputToken);
  for (const { name, args } of events) {
    if (amountsOf(name) === "native") addresses.add(zeroAddress);
    if (isAddress(args.token)) addresses.add(args.token);
  }
  if (addresses.size === 0) return noFacts;
  return { tokens: await tokens.find([...addresses].slice(0, MAX_TOKENS), waitMs, caller), intents };
}
