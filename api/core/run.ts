import type { IndexHead } from "../index/head";
import type { BaseContext } from "./context";
import { BadInput, Forbidden, Unauthorized } from "./errors";
import { type Allowance, countWrite } from "./limits";
import {
  type AnyCall,
  type AnyOperation,
  type AnySubscription,
  type Caller,
  problemsOf,
  type StreamEntry,
} from "./operation";
import { isPaidCaller } from "./paid-caller";

/** What came of an operation. */
type Done = { input: Record<string, unknown>; output: unknown };

/** What was sent, parsed; {@link BadInput} when it can't be served. */
export function parseInput(context: BaseContext, operation: AnyOperation, sent: unknown): Record<string, unknown> {
  const parsed = operation.input.safeParse(sent);
  if (!parsed.success) throw new BadInput(...problemsOf(parsed.error, operation.headers));
  operation.check?.(context as never, parsed.data as never);
  return parsed.data;
}

/** Refuses who may not do this here, whatever was sent. */
export function requirePermission({ config }: BaseContext, operation: AnyCall, caller: Caller): void {
  if (operation.paid && !isPaidCaller(caller)) throw new Error(`${operation.route} was about to run without payment`);
  if (operation.development && !config.devHelpers) throw new Forbidden(operation.development);
  if (operation.writes && config.writeTokens.length > 0 && !caller.isKnown)
    throw new Unauthorized("authorization: must be Bearer and a token that may write");
}

/** What becomes known before the operation has run, and holds also when it fails after all. */
type Hooks = {
  /** How many writes are left, of a write that is limited. */
  onCounted?: (allowance: Allowance) => void;
  /** Where the index stands at least when the operation reads it. */
  onIndexHead?: (head: IndexHead) => void;
};

/** Runs an operation on what was sent. Its answer is held against its schema where that is asked for. */
export async function runOperation(
  context: BaseContext,
  operation: AnyCall,
  sent: unknown,
  caller: Caller,
  { onCounted, onIndexHead }: Hooks = {},
): Promise<Done> {
  requirePermission(context, operation, caller);
  const { config, store } = context;
  const input = parseInput(context, operation, sent);
  const limit = operation.writes ? config.writesPerMinute : undefined;
  if (limit !== undefined) {
    const allowance = await countWrite(await store(), caller.client, limit, Date.now());
    onCounted?.(allowance);
  }
  if (onIndexHead && operation.readsIndex !== false) onIndexHead(await context.head());
  const output = await operation.run(context as never, input as never, caller);
  return { input, output: config.checkAnswers ? operation.output.parse(output) : output };
}

/** Opens the stream of a subscription. The signal ends it. */
export const openSubscription = async (
  context: BaseContext,
  operation: AnySubscription,
  sent: unknown,
  caller: Caller,
  signal: AbortSignal,
): Promise<AsyncGenerator<readonly StreamEntry[], void>> =>
  operation.subscribe(context as never, parseInput(context, operation, sent) as never, caller, signal);
