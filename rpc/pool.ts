import { type Call, isTransient } from "./json-rpc";
import { RpcNode } from "./node";

/** Attempts of one request before its error is passed on. Waiting for nodes that are away is not an attempt. */
const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Reports that a node is away, with the error, or back. Only the host: a URL may hold a key. */
export type OnNodeChange = (change: { host: string; away: boolean; error?: unknown }) => void;

type RequestOptions = {
  /** The node to ask if it has a free slot. */
  prefer?: RpcNode | undefined;
  /** Requests of the head go before others, are not repeated, and don't keep the process alive. */
  isHead?: boolean;
  /** A call that any node answers quickly has a shorter timeout. */
  isLight?: boolean;
};

type Waiter = { options: RequestOptions; avoid: RpcNode | undefined; resolve: (node: RpcNode) => void };

/**
 * The nodes of one chain. A request goes to the first node with a free slot: the one that told of the newest block, then the
 * others in their order. It waits while all of them are busy or away, so an outage is not an error to the caller.
 */
export class RpcPool {
  readonly nodes: readonly RpcNode[];
  /** The node that is asked first. */
  leader: RpcNode | undefined;
  readonly #waiters: Waiter[] = [];

  constructor(urls: readonly string[], timeoutMs: number, onNodeChange: OnNodeChange = () => {}) {
    this.nodes = urls.map(
      (url) =>
        new RpcNode({
          url,
          timeoutMs,
          onFree: () => this.#drain(),
          onAway: ({ host }, error) => onNodeChange({ host, away: true, error }),
          onBack: ({ host }) => onNodeChange({ host, away: false }),
        }),
    );
  }

  /** The result of a call, the node that gave it, and how long its answer took. */
  async request(call: Call, options: RequestOptions = {}): Promise<{ node: RpcNode; result: unknown; ms: number }> {
    let avoid: RpcNode | undefined;
    for (let attempt = 1; ; attempt++) {
      const node = await this.#acquire(options, avoid);
      const startedAt = Date.now();
      try {
        const result = await node.send(call, options.isLight);
        return { node, result, ms: Date.now() - startedAt };
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
    // The nodes' timers don't keep the process alive, and a request that waits for them must.
    const alive = options.isHead ? undefined : setInterval(() => {}, 60_000);
    try {
      return await new Promise((resolve) => {
        const waiter = { options, avoid, resolve };
        if (options.isHead) this.#waiters.unshift(waiter);
        else this.#waiters.push(waiter);
      });
    } finally {
      clearInterval(alive);
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
