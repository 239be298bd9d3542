import type { IndexHead } from "../index/head";
import { visibleToAll } from "../index/shared-read";
import type { BaseContext } from "./context";
import { BadInput, Forbidden, Unauthorized } from "./errors";
import { presentInput, problemsOf } from "./input-object";
import { type Allowance, countWrite } from "./limits";
import type { AnyCall, AnyOperation, AnySubscription, Caller, StreamEntry } from "./operation";
import { isPaidCaller } from "./paid-caller";

type OperationResult = { input: Record<string, unknown>; output: unknown };

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

/** Checks permission, validates the input and runs an operation. */
export async function runOperation(
  context: BaseContext,
  operation: AnyCall,
  rawInput: unknown,
  caller: Caller,
  hooks?: Hooks,
): Promise<OperationResult> {
  requirePermission(context, operation, caller);
  const input = parseInput(context, operation, rawInput);
  return { input, output: await runPermitted(context, operation, input, caller, hooks) };
}

/** Runs an operation on validated input, for a caller with permission. Counts a write. */
export async function runPermitted(
  context: BaseContext,
  operation: AnyCall,
  input: Record<string, unknown>,
  caller: Caller,
  { onRateLimit, onIndexHead }: Hooks = {},
): Promise<unknown> {
  const { config, store } = context;
  const limit = operation.writes ? config.writesPerMinute : undefined;
  if (limit !== undefined) {
    const allowance = await countWrite(await store(), caller.client, limit);
    onRateLimit?.(allowance);
  }
  if (onIndexHead && operation.readsIndex !== false) onIndexHead(await context.head());
  const run = () => runParsed(context, operation, input, caller);
  const output = await (operation.writes || operation.paid ? run() : runRead(context, caller, run));
  if (operation.writes === true) await visibleToAll();
  return output;
}

/** Runs a read within the client's limit of reads at once. */
export const runRead = <Value>({ limits }: BaseContext, { client }: Caller, read: () => Promise<Value>) =>
  limits ? limits.runRead(client, read) : read();

/** Runs an operation on validated input. With `checkAnswers`, validates the output. */
export async function runParsed(
  context: BaseContext,
  operation: AnyCall,
  input: Record<string, unknown>,
  caller: Caller,
): Promise<unknown> {
  const output = await operation.run(context as never, input as never, caller);
  return context.config.checkAnswers ? operation.output.parse(output) : output;
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
