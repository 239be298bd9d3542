import { steadyTime } from "../config/steady-time";
import { type Call, isTransient } from "./json-rpc";
import { RpcNode } from "./node";

/** Attempts of one request before the caller receives the error. Waiting for a node that is down is not an attempt. */
const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Called when a node goes down (`away`, with the error) or is up again. Gets only the host: a URL may contain a key. */
export type OnNodeChange = (change: { host: string; away: boolean; error?: unknown }) => void;

type RequestOptions = {
  /** The node to use if it has a free slot. */
  prefer?: RpcNode | undefined;
  /** Requests for the head have priority, are not retried, and don't keep the process alive. */
  isHead?: boolean;
  /** Calls that every node answers quickly have a shorter timeout. */
  isLight?: boolean;
};

type Waiter = { options: RequestOptions; avoid: RpcNode | undefined; resolve: (node: RpcNode) => void };

/**
 * The nodes of one chain. A request goes to the first node with a free slot: the one that reported the newest block, then
 * the others in order. It waits while all nodes are busy or down, so an outage delays callers instead of failing them.
 */
export class RpcPool {
  readonly nodes: readonly RpcNode[];
  /** The node to try first. */
  leader: RpcNode | undefined;
  readonly #waiters: Waiter[] = [];

  constructor(urls: readonly string[], timeoutMs: number, onNodeChange: OnNodeChange = () => {}) {
    this.nodes = urls.map(
      (url) =>
        new RpcNode({
          url,
          timeoutMs,
          onFree: () => this.#drain(),
          onDown: ({ host }, error) => onNodeChange({ host, away: true, error }),
          onUp: ({ host }) => onNodeChange({ host, away: false }),
        }),
    );
  }

  /** Returns the result of a call, the node that sent it, and its response time. */
  async request(call: Call, options: RequestOptions = {}): Promise<{ node: RpcNode; result: unknown; ms: number }> {
    let avoid: RpcNode | undefined;
    for (let attempt = 1; ; attempt++) {
      const node = await this.#acquire(options, avoid);
      const startedAt = steadyTime();
      try {
        const result = await node.send(call, options.isLight);
        return { node, result, ms: steadyTime() - startedAt };
      } catch (error) {
        if (options.isHead || attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
        avoid = node;
        await sleep(Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1)));
      }
    }
  }

  close(): void {
    for (const node of this.nodes) node.close();
  }

  #pick({ options, avoid }: Omit<Waiter, "resolve">): RpcNode | undefined {
    const order = [options.prefer, this.leader, ...this.nodes];
    const isOther = (node: RpcNode | undefined) => node !== avoid || this.nodes.length === 1;
    return order.find((node) => isOther(node) && node?.acquire()) ?? order.find((node) => node?.acquire());
  }

  async #acquire(options: RequestOptions, avoid: RpcNode | undefined): Promise<RpcNode> {
    const node = this.#waiters.length === 0 || options.isHead ? this.#pick({ options, avoid }) : undefined;
    if (node) return node;
    // The nodes' timers don't keep the process alive, but a waiting request must.
    const keepAlive = options.isHead ? undefined : setInterval(() => {}, 60_000);
    try {
      return await new Promise((resolve) => {
        const waiter = { options, avoid, resolve };
        if (options.isHead) this.#waiters.unshift(waiter);
        else this.#waiters.push(waiter);
      });
    } finally {
      clearInterval(keepAlive);
    }
  }

  #drain(): void {
    for (let waiter = this.#waiters[0]; waiter; waiter = this.#waiters[0]) {
      const node = this.#pick(waiter);
      if (!node) return;
      this.#waiters.shift();
      waiter.resolve(node);
    }
  }
}
