import type { Api, Intent, Uint } from "./api";
import { IntentryError } from "./error";
import { wait } from "./wait";

/** From these an intent does not come back. */
const endings: readonly Intent["status"][] = ["FILLED", "CANCELLED", "EXPIRED"];

const POLL_MS = 1_000;

export type WaitOptions = {
  /** The status that is waited for; FILLED if not given. */
  status?: Intent["status"];
  /** How long to wait at most; without, until the intent has ended or the signal says so. */
  timeoutMs?: number;
  /** How often to ask. */
  pollMs?: number;
  signal?: AbortSignal;
};

/** An intent has ended in another way than was waited for. */
export class IntentEnded extends Error {
  override name = "IntentEnded";

  constructor(
    readonly intent: Intent,
    expected: string,
  ) {
    super(`Intent ${intent.intent_id} is ${intent.status}, and will not be ${expected}`);
  }
}

const isMissing = (error: unknown) => error instanceof IntentryError && error.status === 404;

/** Waits until an intent is indexed and has a status. */
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
    if (intent && endings.includes(intent.status)) throw new IntentEnded(intent, status);
    await wait(pollMs, limit);
  }
}
