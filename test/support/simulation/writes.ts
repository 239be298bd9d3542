import { setTimeout } from "node:timers/promises";
import type { Random } from "../actions/random";
import { callWrite, type Transport } from "./requests";
import { MUST_HAPPEN_MS } from "./service";

/** What a client knows about a write: it was stored, it was rejected, or there was no response. */
export type Outcome<Body> = { state: "acknowledged"; body: Body } | { state: "rejected" | "unknown" };

/** How a client sends a write: once, or until it has a definite response. */
export type Manner = { transport: Transport; isPersistent: boolean };

export const anyManner = (random: Random): Manner => ({
  transport: random.pick(["rest", "trpc"] as const),
  isPersistent: random.chance(0.6),
});

const RETRY_MS = 150;

/** Sends writes, and collects responses that no client should get. */
export class Writes {
  readonly counts = { acknowledged: 0, rejected: 0, unknown: 0, unavailable: 0 };
  readonly problems: string[] = [];
  private readonly sentOnce = new Set<Promise<unknown>>();
  private readonly all = new Set<Promise<unknown>>();

  constructor(readonly apiUrl: string) {}

  /**
   * Sends a write. `mayBeRejected` are the statuses that the client expects besides success. `onUnknown` is called for each
   * attempt without a response.
   */
  send<Body>(
    name: string,
    input: Readonly<Record<string, unknown>>,
    manner: Manner,
    mayBeRejected: readonly number[] = [],
    onUnknown: () => void = () => {},
  ): Promise<Outcome<Body>> {
    return this.track(manner, this.attempt<Body>(name, input, manner, mayBeRejected, onUnknown));
  }

  /** Registers a client's task, which may consist of several requests. */
  track<Value>({ isPersistent }: Pick<Manner, "isPersistent">, task: Promise<Value>): Promise<Value> {
    const done = task.catch((error: unknown) => void this.problems.push(String(error)));
    this.all.add(done);
    if (!isPersistent) this.sentOnce.add(done);
    return task;
  }

  /** Waits for the writes that are sent once. */
  async answered(): Promise<void> {
    await Promise.all(this.sentOnce);
    this.sentOnce.clear();
  }

  /** Waits for all writes. */
  async done(): Promise<void> {
    await Promise.all(this.all);
  }

  private async attempt<Body>(
    name: string,
    input: Readonly<Record<string, unknown>>,
    { transport, isPersistent }: Manner,
    mayBeRejected: readonly number[],
    onUnknown: () => void,
  ): Promise<Outcome<Body>> {
    const deadline = Date.now() + MUST_HAPPEN_MS;
    for (;;) {
      const answer = await callWrite(this.apiUrl, name, input, transport);
      if (answer && answer.status < 300) {
        this.counts.acknowledged++;
        return { state: "acknowledged", body: answer.body as Body };
      }
      if (!answer) {
        this.counts.unknown++;
        onUnknown();
      } else if (answer.status === 503) this.counts.unavailable++;
      else {
        this.counts.rejected++;
        if (!mayBeRejected.includes(answer.status))
          this.problems.push(`${name} by ${transport} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
        return { state: "rejected" };
      }
      if (!isPersistent) return { state: answer ? "rejected" : "unknown" };
      if (Date.now() > deadline) throw new Error(`${name} was not acknowledged within ${MUST_HAPPEN_MS / 1000} s`);
      await setTimeout(RETRY_MS);
    }
  }
}
