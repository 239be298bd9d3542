import type { Api, Intent, Uint } from "./api";
import { IntentryError } from "./error";
import { wait } from "./wait";

/** The statuses that never change. */
const finalStatuses: readonly Intent["status"][] = ["FILLED", "CANCELLED", "EXPIRED"];

const POLL_MS = 1_000;

export type WaitOptions = {
  /** The expected status. Default: FILLED. */
  status?: Intent["status"];
  /** The maximum wait. Default: until the intent has a final status or the signal aborts. */
  timeoutMs?: number;
  /** The polling interval. Default: 1 s. */
  pollMs?: number;
  signal?: AbortSignal;
};

/** The intent has another final status than the expected one. */
export class IntentEnded extends Error {
  override name = "IntentEnded";

  constructor(
    readonly intent: Intent,
    expected: string,
  ) {
    super(`Intent ${intent.intent_id} is ${intent.status}, and can no longer be ${expected}`);
  }
}

const isMissing = (error: unknown) => error instanceof IntentryError && error.status === 404;

/** Waits until an intent is indexed and has the given status. */
export async function waitForIntent(
  api: Pick<Api, "intents">,
  id: Uint,
  { status = "FILLED", timeoutMs, pollMs = POLL_MS, signal }: WaitOptions = {},
): Promise<Intent> {
  const limits = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
  const limit = limits.length > 1 ? AbortSignal.any(limits) : limits[0];
  for (;;) {
    limit?.throwIfAborted();
    const intent = await api.intents.get.query({ id }, { signal: limit }).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (intent?.status === status) return intent;
    if (intent && finalStatuses.includes(intent.status)) throw new IntentEnded(intent, status);
    await wait(pollMs, limit);
  }
}
