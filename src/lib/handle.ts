import { type Context, type Event, type EventNames, type IndexingFunctionArgs, ponder } from "ponder:registry";
import { eventLog } from "ponder:schema";
import { type ContractName, contractNames } from "../../config/contracts";
import { eventId } from "./event-id";
import { argumentEncoder } from "./event-log";

/** The fields common to all events. */
type AnyEvent = {
  event: Pick<Event, "block" | "log" | "transaction"> & { args: Readonly<Record<string, unknown>> };
  context: Pick<Context, "db">;
};

const isContractName = (name: string): name is ContractName => contractNames.some((known) => known === name);

/**
 * Registers the only handler of an event. It inserts the event log row and then calls `handler`. Two registered handlers
 * of one event would run in no guaranteed order.
 */
export function handle<Name extends EventNames>(
  name: Name,
  handler: (args: IndexingFunctionArgs<Name>) => Promise<void>,
): void {
  const [contract = "", eventName = ""] = name.split(":");
  if (!isContractName(contract)) throw new Error(`${name} is not an event of the protocol`);
  const encodeArguments = argumentEncoder(contract, eventName);
  const registered = async (args: IndexingFunctionArgs<Name>) => {
    const { event, context } = args as unknown as AnyEvent;
    const { number, hash, timestamp } = event.block;
    await context.db.insert(eventLog).values({
      id: eventId(number, event.log.logIndex),
      blockHash: hash,
      blockTimestamp: timestamp,
      txHash: event.transaction.hash,
      contract,
      name: eventName,
      args: encodeArguments(event.args),
    });
    await handler(args);
  };
  ponder.on(name, registered);
}
