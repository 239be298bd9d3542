import type { Api, Intent, Uint } from "./api";
import { IntentryError } from "./error";
import type { Follow } from "./follow";
import { wait } from "./wait";

/** The statuses that never change. */
const finalStatuses: readonly Intent["status"][] = ["FILLED", "CANCELLED", "EXPIRED"];

/** The statuses that events set. EXPIRED has no event. */
const statusAfter: Readonly<Record<string, Intent["status"]>> = {
  IntentSubmitted: "OPEN",
  IntentFilled: "FILLED",
  IntentCancelled: "CANCELLED",
};

/** How often to read the intent: while there is a stream, while there is none, and while the answer is older than an event. */
const READ_MS = { streamed: 30_000, alone: 1_000, outdated: 250 } as const;

/** What to wait for, and how long. */
export type WaitOptions = {
  /** The expected status. Default: FILLED. */
  status?: Intent["status"];
  /** The maximum wait. Default: until the intent has a final status or the signal aborts. */
  timeoutMs?: number;
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

type Reads = { get: Api["intents"]["get"]; follow: Follow };

/**
 * Watches the events of an intent until the signal aborts. `changed` waits for the next one, or for a time; a change between
 * two waits ends the second one at once. Without a stream, for example behind a proxy that does not forward it, only the time
 * counts.
 */
function watch(follow: Follow, intent_id: Uint, signal: AbortSignal) {
  let hasStream = false;
  let expected: Intent["status"] | undefined;
  let pending = false;
  let wake: (() => void) | undefined;
  const change = () => {
    pending = true;
    wake?.();
  };
  const options = {
    signal,
    // What happened before the stream started is in the index.
    onReady() {
      hasStream = true;
      change();
    },
    onReconnect() {
      hasStream = false;
      change();
    },
  };
  const following = async () => {
    for await (const { type, data } of follow({ intent_id }, options)) {
      if (type === "finalized") continue;
      expected = type === "event" ? (statusAfter[data.event] ?? expected) : undefined;
      change();
    }
  };
  following().catch(() => {
    hasStream = false;
    change();
  });
  return {
    /** Waits for a change after a status was read. */
    async changed(status: Intent["status"] | null, deadline: number): Promise<void> {
      const isOutdated = expected !== undefined && status !== expected;
      const interval = isOutdated ? READ_MS.outdated : hasStream ? READ_MS.streamed : READ_MS.alone;
      if (!pending) {
        const woken = new AbortController();
        wake = () => woken.abort();
        const untilDeadline = deadline > Date.now() ? deadline - Date.now() : READ_MS.alone;
        const either = AbortSignal.any([signal, woken.signal]);
        await wait(Math.min(interval, untilDeadline), either).catch(() => signal.throwIfAborted());
        wake = undefined;
      }
      pending = false;
    },
  };
}

/** The time at which an intent expires, in milliseconds. There is no event at that time. */
const deadlineOf = (intent: Intent | null) => (intent ? Number(intent.deadline) * 1000 : Number.POSITIVE_INFINITY);

/** Waits until an intent is indexed and has the given status. */
export async function waitForIntent(
  { get, follow }: Reads,
  id: Uint,
  { status = "FILLED", timeoutMs, signal }: WaitOptions = {},
): Promise<Intent> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const over = new AbortController();
  const limit = AbortSignal.any([signal, timeout, over.signal].filter((one) => one !== undefined));
  let last: Intent["status"] | null = null;
  let events: ReturnType<typeof watch> | undefined;
  try {
    for (;;) {
      limit.throwIfAborted();
      const intent = await get({ id }, { signal: limit }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (intent?.status === status) return intent;
      if (intent && finalStatuses.includes(intent.status)) throw new IntentEnded(intent, status);
      last = intent?.status ?? last;
      events ??= watch(follow, id, limit);
      await events.changed(intent?.status ?? null, deadlineOf(intent));
    }
  } catch (error) {
    const isTimeout = timeout?.aborted && !signal?.aborted && !(error instanceof IntentEnded);
    throw isTimeout ? new IntentTimeout(String(id), last, { expected: status, timeoutMs: timeoutMs ?? 0 }) : error;
  } finally {
    over.abort();
  }
}
