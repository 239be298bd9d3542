import { setMaxListeners } from "node:events";
import { steadyTime } from "../config/steady-time";
import { type Call, isTransient, postJsonRpc, retryAfterMs } from "./json-rpc";
import { countRequest } from "./metrics";

/** The maximum number of requests in flight to one node, besides {@link MAX_PROBES} while it is down. */
export const MAX_IN_FLIGHT = 16;
const INITIAL_IN_FLIGHT = 8;
export const MAX_PROBES = 2;

/** A node is down after this many failures in a row. */
const FAILURES_UNTIL_DOWN = 3;

const FIRST_PROBE_MS = 100;
const MAX_PROBE_MS = 1_000;

/** Backoff for a rate-limited node, unless it sends Retry-After. The maximum applies to both. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** The timeout of a light call is four times the last response time of one, but at least this. */
const MIN_LIGHT_TIMEOUT_MS = 4_000;

/** How often to send a second probe with the full timeout, to detect a node that is up but slow. */
const SLOW_PROBE_MS = 10_000;

/** Every node supports this method, and it is cheap. */
const PROBE: Call = { method: "eth_chainId", params: [] };

/** Allows one listener for each request in flight. */
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
  /** Called when the node goes down, with the last error. */
  onDown: (node: RpcNode, error: unknown) => void;
  /** Called when the node is up again. */
  onUp: (node: RpcNode) => void;
};

/**
 * One node, with an adaptive limit on requests in flight (AIMD): the limit grows by one for every round of successes and
 * halves on a transient error. After three failures in a row the node is down: it receives only probes, about one a
 * second, until one succeeds.
 */
export class RpcNode {
  readonly host: string;
  isDown = false;
  inFlight = 0;
  limit = INITIAL_IN_FLIGHT;
  #failures = 0;
  #limitedAt = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #lightMs = 0;
  #isClosed = false;
  /** Aborts the requests sent before the node recovered, because their responses may never arrive. */
  #abort = abortController();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
    this.host = new URL(options.url).host;
  }

  get url(): string {
    return this.#options.url;
  }

  /** Reserves a slot for one `send`. Returns false if none is free. */
  acquire(): boolean {
    if (this.isDown || this.inFlight >= Math.floor(this.limit) || steadyTime() < this.#pausedUntil) return false;
    this.inFlight++;
    return true;
  }

  /** Sends a request on a slot reserved with `acquire`, and releases the slot. Light calls have a shorter timeout. */
  async send(call: Call, isLight = false): Promise<unknown> {
    const startedAt = steadyTime();
    const { signal } = this.#abort;
    try {
      const timeoutMs = isLight ? this.#lightTimeoutMs : this.#options.timeoutMs;
      const result = await postJsonRpc(this.url, call, timeoutMs, signal);
      this.#succeeded();
      countRequest(this.host, true);
      if (isLight) this.#lightMs = steadyTime() - startedAt;
      return result;
    } catch (error) {
      countRequest(this.host, !isTransient(error));
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
    // Requests in flight together often fail together, and halve the limit once.
    if (startedAt >= this.#limitedAt) {
      this.limit = Math.max(1, this.limit / 2);
      this.#limitedAt = steadyTime();
    }
    const requestedMs = retryAfterMs(error);
    if (requestedMs !== undefined) this.#pause(requestedMs);
    if (this.isDown || this.#failures < FAILURES_UNTIL_DOWN) return;
    this.isDown = true;
    this.#options.onDown(this, error);
    void this.#probe(this.#lightTimeoutMs, FIRST_PROBE_MS, MAX_PROBE_MS);
    void this.#probe(this.#options.timeoutMs, SLOW_PROBE_MS, SLOW_PROBE_MS);
  }

  #pause(requestedMs: number): void {
    const pauseMs = Math.min(MAX_PAUSE_MS, requestedMs || FIRST_PAUSE_MS * 2 ** this.#pauses++);
    this.#pausedUntil = Math.max(this.#pausedUntil, steadyTime() + pauseMs);
    setTimeout(this.#options.onFree, pauseMs + 1).unref();
  }

  /** Probes until the node responds, to this probe or another. */
  async #probe(timeoutMs: number, firstPauseMs: number, maxPauseMs: number): Promise<void> {
    const { signal } = this.#abort;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(maxPauseMs, 2 * pauseMs)) {
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
      if (this.#isClosed || signal.aborted) return;
      if ((await this.#respondsToProbe(timeoutMs, signal)) && !signal.aborted) this.#recover();
    }
  }

  async #respondsToProbe(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
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

  #recover(): void {
    this.isDown = false;
    this.#failures = 0;
    this.#pauses = 0;
    this.#pausedUntil = 0;
    this.#abort.abort();
    this.#abort = abortController();
    this.#options.onUp(this);
    this.#options.onFree();
  }
}
