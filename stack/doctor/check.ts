import { withDeadline } from "../../api/core/with-deadline";
import { describeError } from "./describe-error";

/** What a check found: a sentence, and what to do about it unless everything is fine. */
export type Finding =
  | { status: "ok"; message: string }
  | { status: "warning" | "failed"; message: string; advice: string };

export type Result = Finding & { name: string };

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning = (message: string, advice: string): Finding => ({ status: "warning", message, advice });
export const failed = (message: string, advice: string): Finding => ({ status: "failed", message, advice });

/** The time limit of one check, and of each request in it. */
export const CHECK_MS = 5_000;

/** A check that could not be completed. The message and the advice are printed as they are. */
export class CheckFailure extends Error {
  override name = "CheckFailure";

  constructor(
    message: string,
    readonly advice: string,
  ) {
    super(message);
  }
}

/**
 * Runs a check and returns its result. It never throws: an error is a failed check, and so is one that takes too long.
 *
 * @example
 * await check("clock", async () => ok("The clocks agree.")) // { name: "clock", status: "ok", message: "The clocks agree." }
 */
export async function check(
  name: string,
  run: (signal: AbortSignal) => Promise<Finding>,
  timeoutMs = CHECK_MS,
): Promise<Result> {
  const controller = new AbortController();
  try {
    return { name, ...(await withDeadline(run(controller.signal), { ms: timeoutMs })) };
  } catch (error) {
    if (error instanceof CheckFailure) return { name, ...failed(error.message, error.advice) };
    if (error instanceof DOMException && error.name === "TimeoutError")
      return { name, ...failed(`No answer within ${timeoutMs / 1000} s.`, "Check the address and the network.") };
    return {
      name,
      ...failed(`Unexpected error: ${describeError(error)}.`, "Solve this problem and run doctor again."),
    };
  } finally {
    controller.abort();
  }
}
