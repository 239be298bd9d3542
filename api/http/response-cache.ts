import type { Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { LRUCache } from "lru-cache";
import { NotFound, TooMany } from "../core/errors";
import { inputKey } from "../core/input-object";
import { type AnyCall, type Dependency, dependenciesOf } from "../core/operation";
import { type IndexHead, timeAt } from "../indexed/head";
import type { SharedRead } from "../indexed/shared-read";
import { cacheRequests } from "../telemetry/metrics";
import { annotateRequest } from "../telemetry/span";
import { type Env, type Reply, reply, setIndexHead } from "./reply";
import { mayWait, untilTimeLimit } from "./request";

type Options = {
  /** The maximum size of all replies and keys. */
  maxBytes: number;
  indexHead: SharedRead<IndexHead>;
  storeRevision: SharedRead<string>;
};

/** The state that a reply depends on: the head of the index, the revision of the store, and the second. */
type Current = { head: IndexHead | undefined; store: string; time: bigint | undefined };

const currentOf = (dependencies: readonly Dependency[], head: IndexHead | undefined, store: string): Current => ({
  head,
  store,
  time: dependencies.includes("time") ? timeAt(head ?? { timestamp: null }) : undefined,
});

/** Whether two states have the same revision. Most heads are the same object. */
const isSame = (one: Current, other: Current): boolean =>
  (one.head === other.head || one.head?.revision === other.head?.revision) &&
  one.store === other.store &&
  one.time === other.time;

/** A reply, and the state that it was computed from. */
type Kept = { current: Current; reply: Reply };

/** A computed reply, and whether it is only for its own client. */
type Computed = { reply: Reply; isOwn?: boolean | undefined };

/** A computation that is under way. */
type Running = { current: Current; computed: Promise<Computed> };

/** The largest share of the cache that one reply may take. */
const MAX_SHARE = 1 / 8;

/** The measured memory of an entry besides its text. */
const ENTRY_BYTES = 1_200;

/** Up to this size, ASCII bodies are kept as strings, which Node sends with the headers in one write. */
const MAX_STRING_BYTES = 16 * 1024;

/** The reply as it is kept. A larger body is kept as its bytes, which are not from Node's pool: a small buffer would retain much of it. */
function compact(sent: Reply): Reply {
  if (typeof sent.body !== "string") return sent;
  const bytes = Buffer.byteLength(sent.body);
  if (bytes === sent.body.length && bytes <= MAX_STRING_BYTES) return sent;
  const body = Buffer.allocUnsafeSlow(bytes);
  body.write(sent.body);
  return { ...sent, body };
}

const sizeOf = ({ reply: { body }, current: { head, store } }: Kept, key: string) =>
  (body as string | Uint8Array).length + 2 * (key.length + store.length + (head?.revision.length ?? 0)) + ENTRY_BYTES;

/**
 * Errors of a computation are shared, except a 404, because what was not found may have been published meanwhile, and errors
 * about the other client: its limits and its deadline.
 */
const unlessShared = (error: unknown): undefined => {
  if (!(error instanceof NotFound || error instanceof TooMany || error instanceof HTTPException)) throw error;
};

/**
 * Keeps the replies of reads as long as the state that they were computed from is current. The index and the store each
 * have a revision, which concurrent requests read together, at most a few milliseconds ago. The revision of time is the second.
 */
export class ResponseCache {
  readonly #options: Options;
  readonly #kept: LRUCache<string, Kept>;
  readonly #running = new Map<string, Running>();

  constructor(options: Options) {
    this.#options = options;
    const maxSize = options.maxBytes;
    const maxEntrySize = Math.max(1, Math.floor(maxSize * MAX_SHARE));
    this.#kept = new LRUCache({ maxSize, maxEntrySize, sizeCalculation: sizeOf });
  }

  /** The memory in use, estimated. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** The current state of the dependencies, if the last reads are recent enough. */
  peek(dependencies: readonly Dependency[]): Current | undefined {
    const { indexHead, storeRevision } = this.#options;
    const now = performance.now();
    const head = dependencies.includes("index") ? indexHead.peek(now) : undefined;
    const store = dependencies.includes("store") ? storeRevision.peek(now) : "";
    const isKnown = store !== undefined && (head !== undefined || !dependencies.includes("index"));
    return isKnown ? currentOf(dependencies, head, store) : undefined;
  }

  /** The current state of the dependencies. */
  async read(dependencies: readonly Dependency[]): Promise<Current> {
    const { indexHead, storeRevision } = this.#options;
    const now = performance.now();
    const head = dependencies.includes("index") ? (indexHead.peek(now) ?? (await indexHead.read())) : undefined;
    const store = dependencies.includes("store") ? (storeRevision.peek(now) ?? (await storeRevision.read())) : "";
    return currentOf(dependencies, head, store);
  }

  /** The reply for a key, if it was computed from the current state. */
  find(key: string, current: Current): Reply | undefined {
    const kept = this.#kept.get(key);
    return kept && isSame(kept.current, current) ? kept.reply : undefined;
  }

  /**
   * Computes the reply for a key and keeps it. Requests at the same revision share one computation, unless its reply is
   * only for its own client; its errors too, so that a database that fails is not asked by every request.
   */
  async compute(key: string, current: Current, run: () => Promise<Computed>): Promise<Reply> {
    const running = this.#running.get(key);
    if (running && isSame(running.current, current)) {
      const shared = await running.computed.catch(unlessShared);
      if (shared && !shared.isOwn) return shared.reply;
    }
    const started = { current, computed: run() };
    this.#running.set(key, started);
    try {
      const { reply: sent, isOwn } = await started.computed;
      if (sent.status === 200 && !isOwn) this.#kept.set(key, { current, reply: compact(sent) });
      return sent;
    } finally {
      if (this.#running.get(key) === started) this.#running.delete(key);
    }
  }
}

/** Counts a read, and records in its span whether it was served from the cache. */
function countRead(isHit: boolean): void {
  cacheRequests.inc({ result: isHit ? "hit" : "miss" });
  annotateRequest({ "intentry.cache_hit": isHit });
}

type Input = Record<string, unknown>;

/** Computes the reply of an operation. */
type Compute = (c: HonoContext<Env>, input: Input) => Promise<Reply>;

/**
 * Replies to a read from the cache, or else computes and keeps the reply. Requests for the same reply share its computation.
 * A kept reply whose state is known waits for nothing.
 */
export function fromCache(cache: ResponseCache, operation: AnyCall, compute: Compute) {
  const fields = Object.keys(operation.input.shape);
  const keyOf = (c: HonoContext<Env>, input: Input, dependencies: readonly Dependency[]) => {
    const key = `${operation.route} ${inputKey(fields, input)}`;
    return dependencies.includes("baseUrl") ? `${c.get("caller").baseUrl} ${key}` : key;
  };
  /** Replies if the kept reply is current. */
  const replyKept = (c: HonoContext<Env>, key: string, current: Current): Response | undefined => {
    const kept = cache.find(key, current);
    if (!kept) return undefined;
    if (current.head) setIndexHead(c, current.head);
    countRead(true);
    return reply(c, kept);
  };
  const replyComputed = async (c: HonoContext<Env>, key: string, current: Current, input: Input): Promise<Response> => {
    if (current.head) setIndexHead(c, current.head);
    countRead(false);
    const run = async () => ({ reply: await compute(c, input), isOwn: c.get("caller").isLimited });
    return reply(c, await cache.compute(key, current, run));
  };
  return (c: HonoContext<Env>, input: Input): Response | Promise<Response> => {
    const dependencies = dependenciesOf(operation, input);
    const key = keyOf(c, input, dependencies);
    const serve = (current: Current) =>
      replyKept(c, key, current) ?? mayWait(c, () => replyComputed(c, key, current, input));
    const known = cache.peek(dependencies);
    return known ? serve(known) : untilTimeLimit(c.get("start"), cache.read(dependencies)).then(serve);
  };
}
