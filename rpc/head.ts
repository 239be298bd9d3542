import { steadyTime } from "../config/steady-time";
import { BlockHeader, isNewer, MAX_NULL_RESPONSES } from "./block";
import type { Call } from "./json-rpc";
import { NewHeads } from "./new-heads";
import type { RpcNode } from "./node";
import type { RpcPool } from "./pool";

/** The pause before a poll is at least the last response time multiplied by this, so slow nodes get fewer requests. */
const RESPONSE_TIME_FACTOR = 0.5;

/** How often to poll another node than the leader for a newer block. */
export const CROSS_CHECK_MS = 5_000;

const latest: Call = { method: "eth_getBlockByNumber", params: ["latest", false] };
const height: Call = { method: "eth_blockNumber", params: [] };

/** `receivedAt` is when a node last reported this block as its newest. */
export type Head = { node: RpcNode; block: BlockHeader; receivedAt: number };

export type HeadOptions = {
  pool: RpcPool;
  /** The WebSocket URL of each node, in the pool's order. */
  webSocketUrls: readonly string[];
  /** Whether the head includes the block's transactions. Otherwise it is the header only. */
  full: boolean;
  /** The minimum time between two requests for the head. */
  intervalMs: number;
  /** A node with a live subscription is polled after this long without a notification. */
  quietMs: number;
};

/**
 * Follows the newest block of a chain with at most one request in flight. It uses `newHeads` where a node supports it, and
 * otherwise polls, no faster than the node responds.
 *
 * A lagging node can't move the head back. A block that is not newer replaces the head only after a reorg: the node that
 * reported the head has another block at that height, or has returned null for it three times in a row.
 */
export class HeadFollower {
  head: Head | undefined;
  lastError: unknown;
  readonly #options: HeadOptions;
  readonly #subscriptions = new Map<RpcNode, NewHeads>();
  /** The newest unprocessed notification of each node. */
  readonly #notifications = new Map<RpcNode, BlockHeader>();
  #nullResponses = 0;
  #responseMs = 0;
  #crossCheckedAt = steadyTime();
  #crossChecks = 0;
  #isClosed = false;
  #wake = () => {};
  #onStep: (() => void)[] = [];

  constructor(options: HeadOptions) {
    this.#options = options;
    for (const [index, node] of options.pool.nodes.entries()) {
      const url = options.webSocketUrls[index];
      if (!url) continue;
      const onHead = (header: BlockHeader) => this.#onNotification(node, header);
      this.#subscriptions.set(node, new NewHeads(url, onHead, () => this.#wake()));
    }
    void this.#run();
  }

  /** The head. Waits for the first one, and throws if the first attempt fails. */
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

  #onNotification(node: RpcNode, header: BlockHeader): void {
    this.#notifications.set(node, header);
    this.#wake();
  }

  async #run(): Promise<void> {
    const { intervalMs, quietMs } = this.#options;
    while (!this.#isClosed) {
      let isUpToDate = false;
      try {
        isUpToDate = await this.#step();
        this.lastError = undefined;
      } catch (error) {
        this.lastError = error;
      }
      for (const resolve of this.#onStep.splice(0)) resolve();
      const pauseMs = Math.max(intervalMs, this.#responseMs * RESPONSE_TIME_FACTOR);
      await this.#sleep(pauseMs);
      const isLive = this.head && this.#subscriptions.get(this.head.node)?.isLive;
      if (isUpToDate && isLive && this.#notifications.size === 0) await this.#sleep(quietMs - pauseMs, true);
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

  /** Processes the notifications, or polls. Returns false when the head must be requested again soon. */
  async #step(): Promise<boolean> {
    const newestFirst = [...this.#notifications].sort(([, one], [, other]) => (isNewer(one, other) ? -1 : 1));
    this.#notifications.clear();
    if (newestFirst.length === 0) return this.#poll();
    for (const [node, header] of newestFirst) if (!(await this.#accept(node, header))) return false;
    return true;
  }

  async #poll(): Promise<boolean> {
    const target = this.#nodeToPoll();
    if (await this.#isUnchanged(target)) return true;
    const { node, result } = await this.#request(latest, target, true);
    const header = BlockHeader.parse(result);
    const isMissed = this.head && isNewer(header, this.head.block) && !this.#notifications.has(node);
    if (isMissed) this.#subscriptions.get(node)?.missed();
    return this.#accept(node, header);
  }

  /**
   * Whether the leader, which has a live subscription, is still at the head's height. `eth_blockNumber` is cheaper than a
   * header, which lists the hashes of all transactions. A reorg to the same height arrives as a notification.
   */
  async #isUnchanged(target: RpcNode | undefined): Promise<boolean> {
    const { head } = this;
    if (!head || head.node !== target || !this.#subscriptions.get(target)?.isLive || this.#nullResponses > 0)
      return false;
    const { node, result } = await this.#request(height, target, true);
    if (node !== target || result !== head.block.number) return false;
    this.head = { ...head, receivedAt: steadyTime() };
    return true;
  }

  /** The node that reported the head. Every {@link CROSS_CHECK_MS}, one of the others in turn. */
  #nodeToPoll(): RpcNode | undefined {
    const leader = this.head?.node;
    const others = this.#options.pool.nodes.filter((node) => node !== leader);
    if (others.length === 0 || steadyTime() - this.#crossCheckedAt < CROSS_CHECK_MS) return leader;
    this.#crossCheckedAt = steadyTime();
    return others[this.#crossChecks++ % others.length];
  }

  /** Makes a reported block the head, unless the current head is newer and canonical. */
  async #accept(node: RpcNode, reported: BlockHeader): Promise<boolean> {
    const { head } = this;
    if (head?.block.hash === reported.hash) {
      this.#nullResponses = 0;
      this.head = { ...head, receivedAt: steadyTime() };
      return true;
    }
    if (head && !isNewer(reported, head.block)) {
      const status = await this.#verify(head);
      if (status !== "orphaned") return status === "canonical";
    }
    const block = this.#options.full ? await this.#fullBlock(node, reported) : reported;
    if (!block) return false;
    this.head = { node, block, receivedAt: steadyTime() };
    this.#options.pool.leader = node;
    this.#nullResponses = 0;
    return true;
  }

  /** Checks the head with the node that reported it. "unknown" keeps the head for now. */
  async #verify({ node, block }: Head): Promise<"canonical" | "unknown" | "orphaned"> {
    if (!node.acquire()) return "unknown";
    const call: Call = { method: "eth_getBlockByNumber", params: [block.number, false] };
    const response = BlockHeader.nullable().safeParse(await node.send(call, true).catch(() => undefined));
    if (!response.success) return "unknown";
    this.#nullResponses = response.data ? 0 : this.#nullResponses + 1;
    if (response.data) return response.data.hash === block.hash ? "canonical" : "orphaned";
    return this.#nullResponses < MAX_NULL_RESPONSES ? "unknown" : "orphaned";
  }

  async #fullBlock(node: RpcNode, { hash }: BlockHeader): Promise<BlockHeader | null> {
    const { result } = await this.#request({ method: "eth_getBlockByHash", params: [hash, true] }, node);
    return BlockHeader.nullable().parse(result);
  }

  async #request(call: Call, prefer: RpcNode | undefined, isLight = false) {
    const response = await this.#options.pool.request(call, { prefer, isHead: true, isLight });
    this.#responseMs = response.ms;
    return response;
  }
}
