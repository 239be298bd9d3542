import type { EventName, TransactionExplanation } from "./api";
import { IntentryError } from "./error";

type ExplainedEvent = TransactionExplanation["events"][number];

/**
 * The first event with a name, of a sent action or an explained transaction. If there is none, it throws an IntentryError with
 * the code `not_found`.
 *
 * @example
 * const { events } = await intentry.send(wallet, action);
 * const { agentId } = eventNamed(events, "AgentRegistered").args;
 */
export function eventNamed<Name extends EventName>(
  events: readonly ExplainedEvent[],
  name: Name,
): Extract<ExplainedEvent, { eventName: Name }> {
  const found = events.find((event): event is Extract<ExplainedEvent, { eventName: Name }> => event.eventName === name);
  if (!found) throw new IntentryError(`The transactions have no event ${name}`, { code: "not_found" });
  return found;
}
