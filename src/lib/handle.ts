import { type Context, type Event, type EventNames, type IndexingFunctionArgs, ponder } from "ponder:registry";
import { eventLog } from "ponder:schema";
import { eventId } from "../../common/rows/event-id";
import { type ContractName, contractNames } from "../../config/contracts";
import { argumentEncoder } from "./event-log";

/** Ponder's own event, which needs no handler, and that of OpenZeppelin's EIP712, which a fixed domain never emits. */
type Unhandled = "setup" | "EIP712DomainChanged";

/**
 * The handlers of a contract by event name: one for each event of its ABI, so an event without a handler does not compile.
 *
 * @example
 * export const agents: Handlers<"AgentRegistry"> = {
 *   async AgentRegistered({ event, context }) { … },
 * };
 */
export type Handlers<Contract extends ContractName> = {
  readonly [Name in EventNames as Name extends `${Contract}:${infer EventName}`
    ? Exclude<EventName, Unhandled>
    : never]: (args: IndexingFunctionArgs<Name>) => Promise<void>;
};

/** What every event has, whatever its name. */
type AnyEvent = {
  event: Pick<Event, "block" | "log" | "transaction"> & { args: Readonly<Record<string, unknown>> };
  context: Pick<Context, "db">;
};

type AnyHandler = (args: AnyEvent) => Promise<void>;

/** `ponder.on` for events whose names are known at run time only; {@link Handlers} holds each handler against its event. */
const on = ponder.on.bind(ponder) as unknown as (name: string, handler: AnyHandler) => void;

/**
 * Registers the one handler of an event. Ponder gives two handlers of one log no order, so the event log row is written
 * here, before `handler` does what the event means.
 */
export function handle(contract: ContractName, name: string, handler: AnyHandler): void {
  const encodeArguments = argumentEncoder(contract, name);
  on(`${contract}:${name}`, async (args) => {
    const { event, context } = args;
    const { number, hash, timestamp } = event.block;
    await context.db.insert(eventLog).values({
      id: eventId(number, event.log.logIndex),
      blockHash: hash,
      blockTimestamp: timestamp,
      txHash: event.transaction.hash,
      txFrom: event.transaction.from,
      txTo: event.transaction.to,
      contract,
      name,
      args: encodeArguments(event.args),
    });
    await handler(args);
  });
}

/** Registers the handlers of all contracts. */
export function handleAll(handlers: { readonly [Contract in ContractName]: Handlers<Contract> }): void {
  for (const contract of contractNames)
    for (const [name, handler] of Object.entries<unknown>(handlers[contract]))
      handle(contract, name, handler as AnyHandler);
}
