import { setMaxListeners } from "node:events";
import { type Call, isTransient, postJsonRpc, retryAfterMs } from "./json-rpc";

/** Requests that one node has in flight at most; while it is away, {@link MAX_PROBES} more. */
export const MAX_IN_FLIGHT = 16;
const INITIAL_IN_FLIGHT = 8;
export const MAX_PROBES = 2;

/** After so many failures in a row the node counts as away. */
const FAILURES_UNTIL_AWAY = 3;

const FIRST_PROBE_MS = 100;
const MAX_PROBE_MS = 1_000;

/** A node that limits its clients gets a pause: doubled each time in a row, or as long as it asks for. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** A light call takes no longer than four times the last answer to one, and not less than this before it times out. */
const MIN_LIGHT_TIMEOUT_MS = 4_000;

/** So often a second probe with the full timeout is sent, for a node that has become slow. */
const PATIENT_PROBE_MS = 10_000;

/** Cheap on every node, and each one has it. */
const PROBE: Call = { method: "eth_chainId", params: [] };

/** Every request in flight listens to it. */
function abortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(MAX_IN_FLIGHT + MAX_PROBES, controller.signal);
  return controller;
}

type Options = {
  url: string;
  timeoutMs: number;
  /** Called whenever the node may have a free slot. */
  onFree: () => void;
  /** Called when the node goes away, with the reason, and without one when it is back. */
  onAway: (node: RpcNode, reason: unknown) => void;
  onBack: (node: RpcNode) => void;
};

/**
 * One node, with as many requests in flight as it can answer. The limit grows by one for every round of successes and is
 * halved when a request fails in transit (AIMD). After three failures in a row the node is away: nothing is sent but a
 * probe about every second, until one is answered.
 */
export class RpcNode {
  readonly host: string;
  isAway = false;
  inFlight = 0;
  limit = INITIAL_IN_FLIGHT;
  #failures = 0;
  #limitedAt = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #lightMs = 0;
  #isClosed = false;
  /** Aborts the requests that were sent before the node came back: their answers may never come. */
  #abort = abortController();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.host = new URL(options.url).host;
  }

  get url(): string {
    return this.#options.url;
  }

  /** Takes a slot for one `send`, if there is one. */
  acquire(): boolean {
    if (this.isAway || this.inFlight >= Math.floor(this.limit) || Date.now() < this.#pausedUntil) return false;
    this.inFlight++;
    return true;
  }

  /** Sends a request on the slot that `acquire` has taken, and releases it. A light one has a shorter timeout. */
  async send(call: Call, isLight = false): Promise<unknown> {
    const startedAt = Date.now();
    const { signal } = this.#abort;
    try {
      const timeoutMs = isLight ? this.#lightTimeoutMs : this.#options.timeoutMs;
      const result = await postJsonRpc(this.url, call, timeoutMs, signal);
      this.#succeeded();
      if (isLight) this.#lightMs = Date.now() - startedAt;
      return result;
    } catch (error) {
      if (!isTransient(error)) this.#succeeded();
      else if (!signal.aborted) this.#failed(startedAt, error);
      throw error;
    } finally {
      this.inFlight--;
      this.#options.onFree();
    }
  }

  get #lightTimeoutMs(): number {
    return Math.min(this.#options.timeoutMs, Math.max(MIN_LIGHT_TIMEOUT_MS, 4 * this.#lightMs));
  }

  /** Stops probing. */
  close(): void {
    this.#isClosed = true;
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#pauses = 0;
    this.limit = Math.min(MAX_IN_FLIGHT, this.limit + 1 / this.limit);
  }

  #failed(startedAt: number, error: unknown): void {
    this.#failures++;
    // Requests of one round fail together; they halve the limit once.
    if (startedAt >= this.#limitedAt) {
      this.limit = Math.max(1, this.limit / 2);
      this.#limitedAt = Date.now();
    }
    const asked = retryAfterMs(error);
    if (asked !== undefined) this.#pause(asked);
    if (this.isAway || this.#failures < FAILURES_UNTIL_AWAY) return;
    this.isAway = true;
    this.#options.onAway(this, error);
    void this.#probe(this.#lightTimeoutMs, FIRST_PROBE_MS, MAX_PROBE_MS);
    void this.#probe(this.#options.timeoutMs, PATIENT_PROBE_MS, PATIENT_PROBE_MS);
  }

  #pause(asked: number): void {
    const pauseMs = Math.min(MAX_PAUSE_MS, asked || FIRST_PAUSE_MS * 2 ** this.#pauses++);
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + pauseMs);
    setTimeout(this.#options.onFree, pauseMs + 1).unref();
  }

  /** Asks again and again until the node answers, to this probe or to another. */
  async #probe(timeoutMs: number, firstPauseMs: number, maxPauseMs: number): Promise<void> {
    const { signal } = this.#abort;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(maxPauseMs, 2 * pauseMs)) {
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
      if (this.#isClosed || signal.aborted) return;
      if ((await this.#answers(timeoutMs, signal)) && !signal.aborted) this.#back();
    }
  }

  async #answers(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    this.inFlight++;
    try {
      await postJsonRpc(this.url, PROBE, timeoutMs, signal);
      return true;
    } catch (error) {
      return !isTransient(error);
    } finally {
      this.inFlight--;
      this.#options.onFree();
    }
  }

  #back(): void {
    this.isAway = false;
    this.#failures = 0;
    this.#pauses = 0;
    this.#pausedUntil = 0;
    this.#abort.abort();
    this.#abort = abortController();
    this.#options.onBack(this);
    this.#options.onFree();
  }
}
