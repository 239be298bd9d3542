import type { IndexHead } from "../indexed/head";
import { visibleToAll } from "../indexed/shared-read";
import type { BaseContext } from "./context";
import { BadInput, Forbidden, Unauthorized } from "./errors";
import { presentInput, problemsOf } from "./input-object";
import { type Allowance, countWrite } from "./limits";
import {
  type AnyCall,
  type AnyOperation,
  type AnySubscription,
  type Caller,
  readsIndex,
  type StreamEntry,
} from "./operation";
import { isPaidCaller } from "./paid-caller";
import { restrict } from "./restrict";

/** Parses and validates the input of an operation. Throws {@link BadInput}. */
export function parseInput(context: BaseContext, operation: AnyOperation, rawInput: unknown): Record<string, unknown> {
  const parsed = operation.input.safeParse(presentInput(operation, rawInput));
  if (!parsed.success) throw new BadInput(...problemsOf(parsed.error, operation));
  operation.check?.(context as never, parsed.data as never);
  return parsed.data;
}

/** Throws if the caller may not run the operation, regardless of its input. */
export function requirePermission({ config }: BaseContext, operation: AnyCall, caller: Caller): void {
  if (operation.paid && !isPaidCaller(caller))
    throw new Error(`${operation.route} requires payment and was called without it`);
  if (operation.development && !config.devHelpers) throw new Forbidden(operation.development);
  if (operation.writes && config.writeTokens.length > 0 && !caller.hasWriteToken)
    throw new Unauthorized("authorization: must be 'Bearer <token>' with a valid write token");
}

/** Called before the operation runs, also if it fails afterwards. */
type Hooks = {
  /** Receives the rate limit after a write was counted. */
  onRateLimit?: (allowance: Allowance) => void;
  /** Receives the index head. The operation reads the index at this block or later. */
  onIndexHead?: (head: IndexHead) => void;
};

/** Checks permission, validates the input and runs an operation. Returns its output. */
export function runOperation(
  context: BaseContext,
  operation: AnyCall,
  sent: unknown,
  caller: Caller,
  hooks?: Hooks,
): Promise<unknown> {
  requirePermission(context, operation, caller);
  return runValid(context, operation, parseInput(context, operation, sent), caller, hooks);
}

/** Runs an operation on valid input, for a caller with permission. Writes are counted, and reads run within the client's limit. */
export async function runValid(
  context: BaseContext,
  operation: AnyCall,
  input: Record<string, unknown>,
  caller: Caller,
  { onRateLimit, onIndexHead }: Hooks = {},
): Promise<unknown> {
  const { config, limits } = context;
  if (operation.writes && config.writesPerMinute !== undefined) {
    const allowance = await countWrite(await context.store(), caller.client, config.writesPerMinute);
    onRateLimit?.(allowance);
  }
  if (onIndexHead && readsIndex(operation)) onIndexHead(await context.head());
  const run = () => runChecked(context, operation, input, caller);
  const isRead = !operation.writes && !operation.paid;
  const output = await (isRead && limits ? limits.runRead(caller.client, run) : run());
  if (operation.writes === true) await visibleToAll();
  return output;
}

/** Runs an operation. With `checkAnswers`, validates its output and its dependencies. */
async function runChecked(
  context: BaseContext,
  operation: AnyCall,
  input: Record<string, unknown>,
  caller: Caller,
): Promise<unknown> {
  if (!context.config.checkAnswers) return operation.run(context as never, input as never, caller);
  const restricted = restrict(context, operation, input, caller);
  return operation.output.parse(await operation.run(restricted.context as never, input as never, restricted.caller));
}

/** Opens the stream of a subscription on valid input. The signal ends it. */
export const subscribe = (
  context: BaseContext,
  operation: AnySubscription,
  input: Record<string, unknown>,
  caller: Caller,
  signal: AbortSignal,
): Promise<AsyncGenerator<readonly StreamEntry[], void>> =>
  operation.subscribe(context as never, input as never, caller, signal);
