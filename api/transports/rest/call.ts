import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Allowance } from "../../core/limits";
import type { AnyCall, Caller } from "../../core/operation";
import { parseInput, requirePermission, runPermitted } from "../../core/run";
import type { IndexHead } from "../../index/head";
import type { Context } from "../../operations/context";

type CallRequest = {
  caller: Caller;
  /** Reads the input as sent. */
  readInput: () => Promise<Record<string, unknown>>;
  /** Receives the value of the `ratelimit` header after a write was counted, also if the call fails. */
  onRateLimit: (header: string) => void;
  /** Called with the index head before the operation runs, also if it fails. */
  onIndexHead: (head: IndexHead) => void;
};

export type Call = (request: CallRequest) => Promise<{ status: ContentfulStatusCode; body: string }>;

const rateLimit = ({ limit, remaining, resetSeconds }: Allowance) =>
  `limit=${limit}, remaining=${remaining}, reset=${resetSeconds}`;

/** Runs an operation whose response is not kept: one with a body, or one whose status depends on its output. */
export const callOf =
  (context: Context, operation: AnyCall): Call =>
  async ({ caller, readInput, onRateLimit, onIndexHead }) => {
    // Before the body is read, so that a missing permission takes precedence over invalid input.
    requirePermission(context, operation, caller);
    const input = parseInput(context, operation, await readInput());
    const output = await runPermitted(context, operation, input, caller, {
      onRateLimit: (allowance) => onRateLimit(rateLimit(allowance)),
      onIndexHead,
    });
    const status = typeof operation.status === "function" ? operation.status(output as never) : operation.status;
    return { status: status ?? 200, body: JSON.stringify(output) };
  };
