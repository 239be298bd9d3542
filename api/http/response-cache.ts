import { LRUCache } from "lru-cache";
import type { BaseContext } from "../core/context";
import type { Dependencies } from "../core/dependencies";
import { NotFound } from "../core/errors";
import { withDeadline } from "../core/with-deadline";
import { type IndexHead, timeAt } from "../index/head";
import { MAX_AGE_MS, type SharedRead } from "../index/shared-read";
import { cacheRequests } from "../metrics/metrics";
import { annotateRequest } from "../tracing/span";
import { etagOf } from "./etag";
import { TIME_LIMIT_MS } from "./time-limit";

/** A successful response, ready to be sent. */
type StoredResponse = {
  /** The name of the operation. */
  operation: string;
  /** Short bodies of ASCII characters are strings: Node sends them with the headers in one write. */
  body: string | Buffer<ArrayBuffer>;
  etag: string;
  headers: Headers;
  /** The headers of a 304. */
  unchangedHeaders: Headers;
};

/** Names and values in turn, as Node takes them. */
type Headers = readonly string[];

type Entry = StoredResponse & {
  key: string;
  /** The head before the response was computed; undefined if it does not depend on the index. */
  head: IndexHead | undefined;
  dependencies: Dependencies;
};

/** A response, and the index head that its headers name. */
export type Found = { response: StoredResponse; head: IndexHead | undefined };

/** A running computation of a response. `dependencies` is complete when it has finished. */
export type Computation = {
  result: Promise<{ body: string; type: string; headers: Readonly<Record<string, string>> }>;
  dependencies: Dependencies;
};

type Request = {
  /** The name of the operation. */
  operation: string;
  /** The key for {@link ResponseCache.find}. */
  url: string | undefined;
  /** Whether the response has index headers. */
  readsIndex: boolean;
  compute: () => Computation;
  /** Called with the index head before the response is computed, also if that fails. */
  onIndexHead: (head: IndexHead) => void;
};

type Pending = { found: Promise<Found>; head: IndexHead | undefined; startedAt: number; dependencies: Dependencies };

type Options = {
  /** The maximum size of all responses, keys and URLs. With 0 nothing is kept or shared. */
  maxBytes: number;
  indexHead: SharedRead<IndexHead>;
  storeRevision: SharedRead<string>;
};

/** The index head and the revision of the store, if a response depends on them. */
type Revisions = [IndexHead | undefined, string | undefined];

/** Reads that requests wait for. */
type Waiting = { head: Promise<Revisions[0]>; revision: Promise<Revisions[1]>; both: Promise<Revisions> };

const NONE = Promise.resolve(undefined);

/** The largest share of the cache that one response may take. All URLs together take at most as much. */
const MAX_SHARE = 1 / 8;

/** A 404 is not shared: what was not found may have been published meanwhile. Other failures are. */
const ifNotFound = (error: unknown): undefined => {
  if (!(error instanceof NotFound)) throw error;
};

/** Counts a read, and records in its span whether it was served from the cache. */
function countRead(isHit: boolean): void {
  cacheRequests.inc({ result: isHit ? "hit" : "miss" });
  annotateRequest({ "intentry.cache_hit": isHit });
}

/** The measured memory of an entry and of a URL besides their text. */
const ENTRY_BYTES = 800;
const URL_BYTES = 300;

const MAX_STRING_BYTES = 16 * 1024;

/** The bytes of a text. They are not from Node's pool, of which a small buffer would retain a large part. */
const bufferOf = (text: string, bytes: number): Buffer<ArrayBuffer> => {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  buffer.write(text);
  return buffer;
};

const sizeOf = ({ key, body }: Entry) => body.length + 2 * key.length + ENTRY_BYTES;
const sizeOfUrl = (key: string, url: string) => 2 * (key.length + url.length) + URL_BYTES;

/**
 * Keeps responses as long as the state that they were computed from is current. The index and the store each have a
 * revision. Concurrent requests share one read of it, at most a few milliseconds old.
 */
export class ResponseCache {
  readonly #options: Options;
  /** By operation and input. */
  readonly #entries: LRUCache<string, Entry>;
  /** The key of an entry by the URL as received, so that a known request is served without being parsed. */
  readonly #keys: LRUCache<string, string>;
  readonly #pending = new Map<string, Pending>();
  #waiting: Waiting | undefined;

  constructor(options: Options) {
    this.#options = options;
    // At least one byte, in which nothing fits: lru-cache has no limit with 0.
    const share = Math.max(1, Math.floor(options.maxBytes * MAX_SHARE));
    const maxSize = Math.max(1, options.maxBytes - share);
    this.#entries = new LRUCache({ maxSize, maxEntrySize: share, sizeCalculation: sizeOf });
    this.#keys = new LRUCache({ maxSize: share, sizeCalculation: sizeOfUrl });
  }

  /** The store's current revision. */
  get storeRevision(): SharedRead<string>["read"] {
    return this.#options.storeRevision.read;
  }

  /** The memory in use, estimated. */
  get bytes(): number {
    return this.#entries.calculatedSize + this.#keys.calculatedSize;
  }

  /** Finds the current response to a URL. Returns a promise if a revision must be read first. */
  find(url: string): Found | undefined | Promise<Found | undefined> {
    const key = this.#keys.get(url);
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (!entry) return undefined;
    const { indexHead, storeRevision } = this.#options;
    const { dependencies } = entry;
    const now = performance.now();
    const head = dependencies.index ? indexHead.peek(now) : undefined;
    const revision = dependencies.storeRevision === undefined ? undefined : storeRevision.peek(now);
    const isStale =
      (dependencies.index && head === undefined) ||
      (dependencies.storeRevision !== undefined && revision === undefined);
    return isStale ? this.#findEntry(entry) : this.#ifCurrent(entry, head, revision);
  }

  #findEntry(entry: Entry): Promise<Found | undefined> {
    return this.#readRevisions(entry.dependencies).then(([head, revision]) => this.#ifCurrent(entry, head, revision));
  }

  /** Reads the revisions that a response depends on. Requests that wait for the same reads share one promise and one timer. */
  #readRevisions(dependencies: Dependencies): Promise<Revisions> {
    const { indexHead, storeRevision } = this.#options;
    const head = dependencies.index ? indexHead.read() : NONE;
    const revision = dependencies.storeRevision === undefined ? NONE : storeRevision.read();
    if (this.#waiting?.head !== head || this.#waiting.revision !== revision) {
      const both = withDeadline(Promise.all([head, revision]), { ms: TIME_LIMIT_MS });
      this.#waiting = { head, revision, both };
    }
    return this.#waiting.both;
  }

  #ifCurrent(entry: Entry, head: IndexHead | undefined, storeRevision: string | undefined): Found | undefined {
    const { dependencies } = entry;
    const isCurrent =
      head?.revision === entry.head?.revision &&
      storeRevision === dependencies.storeRevision &&
      (dependencies.changesAt === undefined || (head !== undefined && timeAt(head) < dependencies.changesAt));
    if (!isCurrent) return undefined;
    countRead(true);
    return { response: entry, head };
  }

  /**
   * Returns the current response for a key, or computes it. Callers that need the same response at the same time share
   * one computation.
   */
  async get(key: string, { operation, url, readsIndex, compute, onIndexHead }: Request): Promise<Found> {
    const head = readsIndex ? await this.#options.indexHead.read() : undefined;
    if (head) onIndexHead(head);
    const entry = this.#entries.get(key);
    const known = entry && (await this.#findEntry(entry));
    if (entry && known) {
      if (url !== undefined) this.#keys.set(url, key);
      return known;
    }
    countRead(false);
    const pending = this.#pending.get(key);
    if (pending && this.#options.maxBytes > 0 && this.#canShare(pending, head)) {
      const found = await pending.found.catch(ifNotFound);
      if (found && !pending.dependencies.isUntracked) return found;
    }
    const computation = compute();
    const found = this.#store(key, operation, url, head, computation);
    const started = { found, head, startedAt: performance.now(), dependencies: computation.dependencies };
    this.#pending.set(key, started);
    try {
      return await found;
    } finally {
      if (this.#pending.get(key) === started) this.#pending.delete(key);
    }
  }

  /**
   * Whether a computation that is under way includes everything that was acknowledged before now: it began recently, or
   * it reads the current state of the index and has not read the store yet.
   */
  #canShare({ head: before, startedAt, dependencies }: Pending, head: IndexHead | undefined): boolean {
    const isRecent = performance.now() - startedAt <= MAX_AGE_MS;
    return before?.revision === head?.revision && (isRecent || dependencies.storeRevision === undefined);
  }

  async #store(
    key: string,
    operation: string,
    url: string | undefined,
    head: IndexHead | undefined,
    { result, dependencies }: Computation,
  ): Promise<Found> {
    const { body: content, type, headers } = await result;
    const length = Buffer.byteLength(content);
    const body = length === content.length && length <= MAX_STRING_BYTES ? content : bufferOf(content, length);
    const { etag = etagOf(body), ...otherHeaders } = headers;
    const unchangedHeaders = Object.entries({ ...otherHeaders, etag }).flat();
    const entry: Entry = {
      key,
      operation,
      body,
      etag,
      // The length is set here, because the response to a HEAD has no body to measure.
      headers: ["content-type", type, "content-length", String(length), ...unchangedHeaders],
      unchangedHeaders,
      head: dependencies.index ? head : undefined,
      dependencies,
    };
    if (!dependencies.isUntracked && (!dependencies.index || head !== undefined)) {
      this.#entries.set(key, entry);
      if (url !== undefined) this.#keys.set(url, key);
    }
    return { response: entry, head };
  }
}

/** A cache that keeps nothing. */
export const createNoCache = ({ head }: Pick<BaseContext, "head">): ResponseCache =>
  new ResponseCache({
    maxBytes: 0,
    indexHead: { peek: () => undefined, read: head },
    storeRevision: { peek: () => undefined, read: async () => "" },
  });
