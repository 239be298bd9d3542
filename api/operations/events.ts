import { contractNames } from "../../config/contracts";
import { BadInput } from "../core/errors";
import { address, exactly, id, idOrAddress, scalar } from "../core/inputs";
import { subscription, z } from "../core/operation";
import { type Cursor, parseCursor } from "../events/cursor";
import type { Filter } from "../events/filter";
import { messageTypes } from "../events/message";
import { eventNames } from "../events/protocol-events";
import type { Context } from "./context";

/** The id of a message of the stream, as a cursor. */
const cursor = scalar<string, Cursor>(
  (sent) => {
    const value = typeof sent === "string" ? parseCursor(sent) : null;
    return value ? { value } : { problem: "must be the id of a message of the event stream" };
  },
  { type: "string", pattern: "^[0-9]{12}-[0-9]{6}-[0-9a-f]{16}$", example: "000000000042-000003-1f1f1f1f1f1f1f1f" },
);

/** The filters of events by their names and subjects. */
export const eventFilter = {
  name: exactly(...eventNames)
    .optional()
    .openapi({ description: "Only events with this name." }),
  contract: exactly(...contractNames)
    .optional()
    .openapi({ description: "Only events of this contract." }),
  intent_id: id.optional().openapi({ description: "Only events that name this intent." }),
  agent: idOrAddress.optional().openapi({
    description:
      "With an id: only events of this agent's registration, and trust signals about it. With an address: only registrations by it, and quotes and receipts that name it as the agent.",
  }),
  merchant_id: id
    .optional()
    .openapi({ description: "Only events that name this merchant, and trust signals about it." }),
  account: address.optional().openapi({
    description: "Only events that name this address in any role except token and target.",
  }),
};

type SentFilter = z.output<z.ZodObject<typeof eventFilter>>;

/** The filter of the sent parameters. */
export const filterOf = ({ name, contract, intent_id, agent, merchant_id, account }: SentFilter): Filter => ({
  ...(name !== undefined && { name }),
  ...(contract !== undefined && { contract }),
  ...(intent_id !== undefined && { intent_id: String(intent_id) }),
  ...(agent !== undefined && { agent }),
  ...(merchant_id !== undefined && { merchant_id: String(merchant_id) }),
  ...(account !== undefined && { account }),
});

const streamExample = `retry: 1000

id: 000000000042-000002-9c3f5a0d1e2b4c68
event: ready
data: {"id":"000000000042-000002-9c3f5a0d1e2b4c68","finalized_block_number":"12"}

id: 000000000043-000000-1f1f1f1f1f1f1f1f
data: {"id":"000000000043-000000-1f1f1f1f1f1f1f1f","event":"IntentCancelled",…,"finality":"pending"}

: heartbeat

event: finalized
data: {"block_number":"43"}
`;

export const subscribeToEvents = subscription({
  route: "GET /events",
  summary: "Streams protocol events as they are indexed.",
  description: "The stream starts with new events, unless from_block, after or Last-Event-ID sets the start.",
  input: z.object({
    ...eventFilter,
    from_block: id
      .optional()
      .openapi({ description: "Start with the events of this block. Can't be combined with after." }),
    after: cursor
      .optional()
      .openapi({ description: "Start after the message with this id. Can't be combined with from_block." }),
    last_event_id: cursor.optional().openapi({
      description:
        "The id of the last message received, sent on reconnect. Takes precedence over after and from_block.",
    }),
  }),
  // EventSource sends this header when it reconnects.
  headers: { "last-event-id": "last_event_id" },
  errors: [410, 429],
  example: { from_block: "0", intent_id: "2" },
  messages: messageTypes,
  streamExample,
  check(_context: Context, { after, from_block }) {
    if (after !== undefined && from_block !== undefined)
      throw new BadInput("after: can't be used together with from_block");
  },
  subscribe({ events }: Context, input, { client }, signal) {
    const { from_block, after, last_event_id } = input;
    const start = last_event_id ?? after;
    const filter = { ...filterOf(input), ...(from_block !== undefined && { fromBlock: from_block }) };
    return events.subscribe({ ...(start && { after: start }), filter }, client, signal);
  },
});

export const eventStream = { subscribe: subscribeToEvents };
