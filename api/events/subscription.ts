import { contractNames } from "../../config/contracts";
import { BadInput } from "../core/errors";
import { address, exactly, id, idOrAddress, scalar } from "../core/inputs";
import { problemsOf, z } from "../core/operation";
import type { Subscription } from "./feed";
import { type Position, readPosition } from "./position";
import { eventNames } from "./subjects";

/** The id of a message in the stream of events. */
const position = scalar<string, Position>(
  (sent) => {
    const value = typeof sent === "string" ? readPosition(sent) : null;
    return value ? { value } : { problem: "must be the id of a message in the stream of events" };
  },
  { type: "string", pattern: "^[0-9]{12}-[0-9]{6}-[0-9a-f]{16}$", example: "000000000042-000003-1f1f1f1f1f1f1f1f" },
);

/** How the live events are asked for, whatever way one listens. */
export const subscription = {
  route: "GET /events",
  name: "events.subscribe",
  summary:
    "The events of the protocol as they happen, as Server-Sent Events. Without a position it begins with what happens from now on.",
  input: z.object({
    name: exactly(...eventNames)
      .optional()
      .openapi({ description: "Only events of this name." }),
    contract: exactly(...contractNames)
      .optional()
      .openapi({ description: "Only events of this contract." }),
    intent_id: id.optional().openapi({ description: "Only events that name this intent." }),
    agent: idOrAddress.optional().openapi({
      description:
        "By its id: only events of this agent's registration, and trust signals about it. By its address: only registrations by it, and quotes and receipts that name it as the agent.",
    }),
    merchant_id: id
      .optional()
      .openapi({ description: "Only events that name this merchant, and trust signals about it." }),
    account: address.optional().openapi({
      description: "Only events in which this address takes part, in whatever role; being a token or a target is none.",
    }),
    from_block: id
      .optional()
      .openapi({ description: "Begins with the events of this block; not together with after." }),
    after: position
      .optional()
      .openapi({ description: "Begins after the message with this id; not together with from_block." }),
    last_event_id: position.optional().openapi({
      description:
        "The id of the last message, from a client that connects again; it comes before after and from_block.",
    }),
  }),
  /** What a browser sends by itself when it connects again. */
  headers: { "last-event-id": "last_event_id" },
  errors: [410, 429],
  example: { name: "IntentSubmitted" },
} as const;

/** Reads what a listener asks for. */
export function readSubscription(sent: unknown): Subscription {
  const parsed = subscription.input.safeParse(sent);
  if (!parsed.success) throw new BadInput(...problemsOf(parsed.error, subscription.headers));
  const { name, contract, intent_id, agent, merchant_id, account, from_block, after, last_event_id } = parsed.data;
  if (after !== undefined && from_block !== undefined)
    throw new BadInput("after: can't be given together with from_block");
  const begin = last_event_id ?? after;
  return {
    ...(begin && { after: begin }),
    filter: {
      ...(name !== undefined && { name }),
      ...(contract !== undefined && { contract }),
      ...(intent_id !== undefined && { intent_id: String(intent_id) }),
      ...(agent !== undefined && { agent }),
      ...(merchant_id !== undefined && { merchant_id: String(merchant_id) }),
      ...(account !== undefined && { account }),
      ...(from_block !== undefined && { fromBlock: from_block }),
    },
  };
}
