import type { Api, Intent, Uint } from "./api";
import { IntentryError } from "./error";
import { wait } from "./wait";

/** The statuses that never change. */
const finalStatuses: readonly Intent["status"][] = ["FILLED", "CANCELLED", "EXPIRED"];

const POLL_MS = 1_000;

/** What to wait for, and how long. */
export type WaitOptions = {
  /** The expected status. Default: FILLED. */
  status?: Intent["status"];
  /** The maximum wait. Default: until the intent has a final status or the signal aborts. */
  timeoutMs?: number;
  /** The polling interval. Default: 1 s. */
  pollMs?: number;
  /** Ends the wait with the signal's reason. */
  signal?: AbortSignal;
};

/** The intent has another final status than the expected one. Its code is `intent_ended`. */
export class IntentEnded extends IntentryError {
  override name = "IntentEnded";

  constructor(
    /** The intent with its final status. */
    readonly intent: Intent,
    expected: string,
  ) {
    super(`Intent ${intent.intent_id} is ${intent.status}, and can no longer be ${expected}`, { code: "intent_ended" });
  }
}

/** The intent did not have the expected status in time. Its code is `intent_timeout`. */
export class IntentTimeout extends IntentryError {
  override name = "IntentTimeout";

  constructor(
    /** The id of the intent. */
    readonly intentId: string,
    /** The last status of the intent. Null if it was not indexed. */
    readonly lastStatus: Intent["status"] | null,
    { expected, timeoutMs }: { expected: string; timeoutMs: number },
  ) {
    const state = lastStatus === null ? "is not indexed" : `is still ${lastStatus}`;
    super(`Intent ${intentId} ${state} after ${timeoutMs} ms, not ${expected}`, { code: "intent_timeout" });
  }
}

const isMissing = (error: unknown) => error instanceof IntentryError && error.status === 404;

/** Waits until an intent is indexed and has the given status. */
export async function waitForIntent(
  api: Pick<Api, "intents">,
  id: Uint,
  { status = "FILLED", timeoutMs, pollMs = POLL_MS, signal }: WaitOptions = {},
): Promise<Intent> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const limits = [signal, timeout].filter((limit) => limit !== undefined);
  const limit = limits.length > 1 ? AbortSignal.any(limits) : limits[0];
  let last: Intent["status"] | null = null;
  try {
    for (;;) {
      limit?.throwIfAborted();
      const intent = await api.intents.get.query({ id }, { signal: limit }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (intent?.status === status) return intent;
      if (intent && finalStatuses.includes(intent.status)) throw new IntentEnded(intent, status);
      last = intent?.status ?? last;
      await wait(pollMs, limit);
    }
  } catch (error) {
    const isTimeout = timeout?.aborted && !signal?.aborted && !(error instanceof IntentEnded);
    throw isTimeout ? new IntentTimeout(String(id), last, { expected: status, timeoutMs: timeoutMs ?? 0 }) : error;
  }
}
