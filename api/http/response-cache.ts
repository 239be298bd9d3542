import type { Handler, Context as HonoContext, Next } from "hono";
import { HTTPException } from "hono/http-exception";
import { LRUCache } from "lru-cache";
import { NotFound, TooMany } from "../core/errors";
import { type AnyCall, type Dependency, dependenciesOf } from "../core/operation";
import { type IndexHead, timeAt } from "../indexed/head";
import type { SharedRead } from "../indexed/shared-read";
import { cacheRequests } from "../telemetry/metrics";
import { annotateRequest } from "../telemetry/span";
import { type Env, type Reply, reply, setIndexHead } from "./reply";
import { untilTimeLimit } from "./request";

type Options = {
  /** The maximum size of all replies and keys. */
  maxBytes: number;
  indexHead: SharedRead<IndexHead>;
  storeRevision: SharedRead<string>;
};

/** The revision of the state that a reply depends on, and the index head if the index is part of it. */
type Current = { revision: string; head: IndexHead | undefined };

const revisionOf = (dependencies: readonly Dependency[], head: IndexHead | undefined, store: string): Current => {
  const time = dependencies.includes("time") ? timeAt(head ?? { timestamp: null }) : "";
  return { revision: `${head?.revision} ${store} ${time}`, head };
};

/** A reply, and the revision of the state that it was computed from. */
type Kept = { dependencies: readonly Dependency[]; revision: string; reply: Reply };

/** A computation that is under way. It returns undefined if its reply is only for its own client. */
type Running = { revision: string; reply: Promise<Reply | undefined> };

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

const sizeOf = ({ reply: { body }, revision }: Kept, key: string) =>
  (body as string | Uint8Array).length + 2 * (key.length + revision.length) + ENTRY_BYTES;

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

  /** The current revision of the dependencies, if the last reads are recent enough. */
  peek(dependencies: readonly Dependency[]): Current | undefined {
    const { indexHead, storeRevision } = this.#options;
    const now = performance.now();
    const head = dependencies.includes("index") ? indexHead.peek(now) : undefined;
    const store = dependencies.includes("store") ? storeRevision.peek(now) : "";
    const isKnown = store !== undefined && (head !== undefined || !dependencies.includes("index"));
    return isKnown ? revisionOf(dependencies, head, store) : undefined;
  }

  /** The current revision of the dependencies. */
  async read(dependencies: readonly Dependency[]): Promise<Current> {
    const { indexHead, storeRevision } = this.#options;
    const now = performance.now();
    const head = dependencies.includes("index") ? (indexHead.peek(now) ?? (await indexHead.read())) : undefined;
    const store = dependencies.includes("store") ? (storeRevision.peek(now) ?? (await storeRevision.read())) : "";
    return revisionOf(dependencies, head, store);
  }

  /** The kept reply for a key. It is current at its revision. */
  find(key: string): Kept | undefined {
    return this.#kept.get(key);
  }

  /**
   * Computes the reply for a key and keeps it. Requests at the same revision share one computation, unless its reply is
   * only for its own client; its errors too, so that a database that fails is not asked by every request.
   */
  async compute(
    key: string,
    { dependencies, revision }: Omit<Kept, "reply">,
    run: () => Promise<Reply | undefined>,
  ): Promise<Reply | undefined> {
    const running = this.#running.get(key);
    if (running?.revision === revision) {
      const shared = await running.reply.catch(unlessShared);
      if (shared) return shared;
    }
    const started = { revision, reply: run() };
    this.#running.set(key, started);
    try {
      const sent = await started.reply;
      if (sent?.status === 200) this.#kept.set(key, { dependencies, revision, reply: compact(sent) });
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

/** The key of a request: equal requests have equal replies. */
function keyOf(c: HonoContext<Env>): string {
  const { url } = c.req;
  return `${c.get("caller").baseUrl} ${url.slice(url.indexOf("/", url.indexOf("://") + 3))}`;
}

/**
 * Middleware that replies to a read from the cache, before its input is parsed: the reply to the same URL is kept, and valid
 * input stays valid. If the revision is known, it waits for nothing.
 */
export function fromCache(cache: ResponseCache, operation: string): Handler<Env> {
  const serve = (
    c: HonoContext<Env>,
    kept: Kept,
    { revision, head }: Current,
    next: Next,
  ): ReturnType<Handler<Env>> => {
    if (kept.revision !== revision) return next();
    if (head) setIndexHead(c, head);
    countRead(true);
    return reply(c, kept.reply);
  };
  return (c, next) => {
    const kept = cache.find(keyOf(c));
    if (!kept) return next();
    c.set("operation", operation);
    const current = cache.peek(kept.dependencies);
    if (current) return serve(c, kept, current, next);
    return untilTimeLimit(c.get("start"), cache.read(kept.dependencies)).then((read) => serve(c, kept, read, next));
  };
}

/** Middleware that keeps the reply of the next handler. Requests for the same reply share its computation. */
export const keepReply =
  (cache: ResponseCache, { dependsOn }: AnyCall): Handler<Env> =>
  async (c, next) => {
    const dependencies = dependenciesOf({ dependsOn }, c.get("input"));
    const { revision, head } = cache.peek(dependencies) ?? (await cache.read(dependencies));
    if (head) setIndexHead(c, head);
    countRead(false);
    const computed = cache.compute(keyOf(c), { dependencies, revision }, async () => {
      await next();
      if (c.error) throw c.error;
      return c.get("caller").isLimited ? undefined : c.get("reply");
    });
    const shared = await computed.catch((error: unknown) => {
      // The error of this request has a response already.
      if (!c.finalized) throw error;
    });
    // Another request has computed the reply.
    return !c.finalized && shared ? reply(c, shared) : undefined;
  };
