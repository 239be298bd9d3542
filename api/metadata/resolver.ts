import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import { repeat } from "../../config/repeat";
import type { IndexDatabase } from "../indexed/database";
import { databaseProblemOf } from "../indexed/problem";
import { readDocument } from "../offchain/documents";
import type { StoreDatabase } from "../offchain/open";
import {
  type DueRecord,
  dueRecords,
  holdLease,
  type LogPosition,
  type MetadataRecord,
  postpone,
  releaseLease,
  saveOutcome,
  savePending,
  savePosition,
} from "../offchain/resolved-metadata";
import { compareStored, FIRST_PLACE, type Place, readChanges, START } from "./changes";
import { Busy, type FetchBytes } from "./fetch";
import { planFor, resolveMetadata, type Sources } from "./resolve";

/** What one round does at most, so that it ends and the lease is renewed. */
const PAGES = 50;
const LOCAL_RECORDS = 100;

/** Records that are fetched from other hosts at the same time. */
const REMOTE_RECORDS = 8;

/** How long a record waits if its host is busy with others. */
const BUSY_MS = 2_000;

const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS = 20;

type Options = {
  db: IndexDatabase;
  store: () => Promise<StoreDatabase>;
  chainId: number;
  ownOrigins: readonly string[];
  ipfsGateways: readonly string[];
  fetchBytes: FetchBytes;
  intervalMs: number;
  /** The time until a failed fetch is repeated. It doubles with every attempt, up to a day. */
  retryMs: number;
  log: Logger;
};

export type MetadataResolver = {
  /** Ends the current fetches, and gives the lease to other processes. */
  stop: () => Promise<void>;
};

/**
 * Resolves the metadata URIs of all records in the background. It finds changes by following the event log, and stores what
 * it finds. Of several processes, the one with the lease does the work.
 */
export function startMetadataResolver(options: Options): MetadataResolver {
  const { db, store, chainId, ownOrigins, ipfsGateways, fetchBytes, intervalMs, retryMs, log } = options;
  const holder = randomUUID();
  const ending = new AbortController();
  // Every fetch listens to it, in two places.
  setMaxListeners(4 * REMOTE_RECORDS, ending.signal);
  const remote = new Map<string, Promise<void>>();
  /** The last event that was read. It may be pending, unlike the stored one. */
  let position: LogPosition | undefined;
  /** Where to continue the comparison with the index; undefined if no reorg has removed updates since. */
  let toCompare: Place | undefined = FIRST_PLACE;
  let reported: string | undefined;

  /** Reads one page of the log. Returns whether there is more. */
  async function follow(storeDb: StoreDatabase, stored: LogPosition): Promise<boolean> {
    position ??= stored;
    const page = await readChanges(db, position);
    if (!page.isKnown) {
      // A reorg replaces pending events only. If the stored one is missing too, it is another chain or an incomplete index.
      position = position.eventId === stored.eventId ? START : stored;
      toCompare = FIRST_PLACE;
      return true;
    }
    await savePlanned(storeDb, page.records);
    const { lastFinal } = page;
    if (lastFinal && lastFinal.eventId !== stored.eventId) await savePosition(storeDb, chainId, holder, lastFinal);
    position = page.last ?? position;
    return page.hasMore;
  }

  const savePlanned = (storeDb: StoreDatabase, records: readonly MetadataRecord[]) =>
    savePending(
      storeDb,
      chainId,
      records.map((record) => ({ ...record, ...planFor(record.uri, ownOrigins) })),
    );

  /** Corrects the records whose update was reverted, a part of them in each round. */
  async function correct(storeDb: StoreDatabase): Promise<void> {
    if (!toCompare) return;
    const { records, next } = await compareStored(db, chainId, toCompare);
    await savePlanned(storeDb, records);
    toCompare = next;
  }

  const retryAfter = (attempts: number) =>
    attempts >= MAX_ATTEMPTS ? null : Math.min(retryMs * 2 ** attempts, DAY_MS);

  async function resolve(storeDb: StoreDatabase, record: DueRecord): Promise<void> {
    const sources: Sources = {
      ownOrigins,
      ipfsGateways,
      fetchBytes,
      readDocument: (kind, hash) => readDocument(storeDb, kind, hash),
    };
    try {
      const { isPermanent, ...outcome } = await resolveMetadata(record, sources, ending.signal);
      const attempts = record.attempts + 1;
      await saveOutcome(storeDb, chainId, record, {
        ...outcome,
        attempts,
        retryMs: isPermanent ? null : retryAfter(record.attempts),
      });
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await postpone(storeDb, chainId, record, BUSY_MS);
    }
  }

  const keyOf = ({ subject, subjectId }: DueRecord) => `${subject} ${subjectId}`;

  /** Starts fetches without waiting for them, so that slow hosts delay neither documents nor the log. */
  async function startRemote(storeDb: StoreDatabase): Promise<void> {
    if (remote.size >= REMOTE_RECORDS) return;
    for (const record of await dueRecords(storeDb, chainId, true, 2 * REMOTE_RECORDS)) {
      if (remote.size >= REMOTE_RECORDS) return;
      const key = keyOf(record);
      if (remote.has(key)) continue;
      const task = resolve(storeDb, record)
        .catch(report)
        .finally(() => remote.delete(key));
      remote.set(key, task);
    }
  }

  async function round(): Promise<void> {
    const storeDb = await store();
    const stored = await holdLease(storeDb, chainId, holder);
    if (!stored) {
      position = undefined;
      toCompare = FIRST_PLACE;
      return;
    }
    for (let page = 0; page < PAGES && !ending.signal.aborted; page++) if (!(await follow(storeDb, stored))) break;
    await correct(storeDb);
    for (const record of await dueRecords(storeDb, chainId, false, LOCAL_RECORDS)) await resolve(storeDb, record);
    await startRemote(storeDb);
    reported = undefined;
  }

  /** Logs an error once while it repeats. Before the indexer has created its tables there is nothing to follow. */
  function report(error: unknown): void {
    if (ending.signal.aborted || reported === String(error)) return;
    reported = String(error);
    const level = databaseProblemOf(error) === "no-index" ? "debug" : "warn";
    log[level]({ err: error }, "metadata could not be resolved");
  }

  const rounds = repeat({ task: round, pauseMs: intervalMs, onError: report });
  return {
    async stop() {
      ending.abort();
      await rounds.stop();
      await Promise.all(remote.values());
      await store()
        .then((storeDb) => releaseLease(storeDb, chainId, holder))
        .catch(() => {}); // The lease expires by itself.
    },
  };
}
