import { BlockHeader, isNewer } from "./block";
import type { Call } from "./json-rpc";
import { NewHeads } from "./new-heads";
import type { RpcNode } from "./node";
import type { RpcPool } from "./pool";

/** How often in a row a node has to deny a block, without another at its height, before the head goes back. */
const MAX_DENIALS = 3;

/** A poll waits for this share of the last answer's time at least: a node that is slow is asked less often. */
const ANSWER_SHARE = 0.5;

/** How often another node than the one that is followed is asked whether it knows of a newer block. */
const CROSS_CHECK_MS = 5_000;

const latest: Call = { method: "eth_getBlockByNumber", params: ["latest", false] };
const height: Call = { method: "eth_blockNumber", params: [] };

/** `receivedAt` is when a node last confirmed that this block is its newest. */
export type Head = { node: RpcNode; block: BlockHeader; receivedAt: number };

export type HeadOptions = {
  pool: RpcPool;
  /** The WebSocket URL of each node, in the pool's order. */
  webSocketUrls: readonly string[];
  /** Whether the head is the block with its transactions, or its header only. */
  full: boolean;
  /** Milliseconds between two requests of the head at least. */
  intervalMs: number;
  /** Milliseconds without a notification after which a node with a live subscription is polled all the same. */
  quietMs: number;
};

/**
 * Follows the newest block of a chain with at most one request in flight: by `newHeads` where a node offers it, else by
 * polling, no faster than the node answers.
 *
 * The head never goes back because a node lags behind. A block that is not newer replaces the head only once the node
 * that told of the head has another block at that height, or has denied the head three times in a row.
 */
export class HeadFollower {
  head: Head | undefined;
  lastError: unknown;
  readonly #options: HeadOptions;
  readonly #subscriptions = new Map<RpcNode, NewHeads>();
  /** The newest notification of each node that has not been dealt with. */
  readonly #told = new Map<RpcNode, BlockHeader>();
  #denials = 0;
  #answerMs = 0;
  #crossCheckedAt = Date.now();
  #turn = 0;
  #isClosed = false;
  #wake = () => {};
  #onStep: (() => void)[] = [];

  constructor(options: HeadOptions) {
    this.#options = options;
    for (const [index, node] of options.pool.nodes.entries()) {
      const url = options.webSocketUrls[index];
      if (!url) continue;
      const onHead = (header: BlockHeader) => this.#notified(node, header);
      this.#subscriptions.set(node, new NewHeads(url, onHead, () => this.#wake()));
    }
    void this.#run();
  }

  /** The head; without one yet, the first, or the error of the first attempt. */
  async first(): Promise<Head> {
    if (!this.head) await new Promise<void>((resolve) => this.#onStep.push(resolve));
    if (!this.head) throw this.lastError;
    return this.head;
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#wake();
  }

  #notified(node: RpcNode, header: BlockHeader): void {
    this.#told.set(node, header);
    this.#wake();
  }

  async #run(): Promise<void> {
    const { intervalMs, quietMs } = this.#options;
    while (!this.#isClosed) {
      let isSettled = false;
      try {
        isSettled = await this.#step();
        this.lastError = undefined;
      } catch (error) {
        this.lastError = error;
      }
      for (const resolve of this.#onStep.splice(0)) resolve();
      const pauseMs = Math.max(intervalMs, this.#answerMs * ANSWER_SHARE);
      await this.#sleep(pauseMs);
      const isLive = this.head && this.#subscriptions.get(this.head.node)?.isLive;
      if (isSettled && isLive && this.#told.size === 0) await this.#sleep(quietMs - pauseMs, true);
    }
  }

  #sleep(ms: number, untilNotified = false): Promise<void> {
    if (this.#isClosed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        if (!untilNotified && !this.#isClosed) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Deals with the notifications, or polls. Returns false when the head has to be asked for again soon. */
  async #step(): Promise<boolean> {
    const notifications = [...this.#told].sort(([, one], [, other]) => (isNewer(one, other) ? -1 : 1));
    this.#told.clear();
    if (notifications.length === 0) return this.#poll();
    for (const [node, header] of notifications) if (!(await this.#settle(node, header))) return false;
    return true;
  }

  async #poll(): Promise<boolean> {
    const target = this.#nodeToPoll();
    if (await this.#isQuiet(target)) return true;
    const { node, result } = await this.#ask(latest, target, true);
    const header = BlockHeader.parse(result);
    const isMissed = this.head && isNewer(header, this.head.block) && !this.#told.has(node);
    if (isMissed) this.#subscriptions.get(node)?.missed();
    return this.#settle(node, header);
  }

  /**
   * Whether the node whose notifications are followed is still at the head's height. A header lists all transactions of its
   * block, which costs a node more than its height; a reorg to the same height is announced.
   */
  async #isQuiet(target: RpcNode | undefined): Promise<boolean> {
    const { head } = this;
    if (!head || head.node !== target || !this.#subscriptions.get(target)?.isLive || this.#denials > 0) return false;
    const { node, result } = await this.#ask(height, target, true);
    if (node !== target || result !== head.block.number) return false;
    this.head = { ...head, receivedAt: Date.now() };
    return true;
  }

  /** The node that told of the head; now and then another. */
  #nodeToPoll(): RpcNode | undefined {
    const leader = this.head?.node;
    const others = this.#options.pool.nodes.filter((node) => node !== leader);
    if (others.length === 0 || Date.now() - this.#crossCheckedAt < CROSS_CHECK_MS) return leader;
    this.#crossCheckedAt = Date.now();
    return others[this.#turn++ % others.length];
  }

  /** Makes the block that a node told of the head, unless the present head stands. */
  async #settle(node: RpcNode, told: BlockHeader): Promise<boolean> {
    const { head } = this;
    if (head?.block.hash === told.hash) {
      this.#denials = 0;
      this.head = { ...head, receivedAt: Date.now() };
      return true;
    }
    if (head && !isNewer(told, head.block)) {
      const verdict = await this.#verify(head);
      if (verdict !== "replaced") return verdict === "stands";
    }
    const block = this.#options.full ? await this.#fullBlock(node, told) : told;
    if (!block) return false;
    this.head = { node, block, receivedAt: Date.now() };
    this.#options.pool.leader = node;
    this.#denials = 0;
    return true;
  }

  /** Asks the node that told of the head whether it still has it. If it can't say, the head stands for now. */
  async #verify({ node, block }: Head): Promise<"stands" | "unknown" | "replaced"> {
    if (!node.acquire()) return "unknown";
    const call: Call = { method: "eth_getBlockByNumber", params: [block.number, false] };
    const answer = BlockHeader.nullable().safeParse(await node.send(call, true).catch(() => undefined));
    if (!answer.success) return "unknown";
    this.#denials = answer.data ? 0 : this.#denials + 1;
    if (answer.data) return answer.data.hash === block.hash ? "stands" : "replaced";
    return this.#denials < MAX_DENIALS ? "unknown" : "replaced";
  }

  async #fullBlock(node: RpcNode, { hash }: BlockHeader): Promise<BlockHeader | null> {
    const { result } = await this.#ask({ method: "eth_getBlockByHash", params: [hash, true] }, node);
    return BlockHeader.nullable().parse(result);
  }

  async #ask(call: Call, prefer: RpcNode | undefined, isLight = false) {
    const answer = await this.#options.pool.request(call, { prefer, isHead: true, isLight });
    this.#answerMs = answer.ms;
    return answer;
  }
}
