import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import pg from "pg";
import { repeat } from "../../config/repeat";
import { steadyTime } from "../../config/steady-time";
import type { PoolMode } from "../../config/variables/database";
import { watchPool } from "../telemetry/scrape";
import { chooseBuild } from "./builds";
import { openPool } from "./open-pool";
import { STATEMENT_MS } from "./prepared-pool";
import { databaseProblemOf } from "./problem";
import { shareReads } from "./shared-read";
import { type Source, Sources } from "./sources";

/** Read access to the index. */
export type IndexDatabase = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute" | "with" | "$with">;

/** What queries are built from: a database, or a database with common table expressions. */
export type Selectable = Pick<IndexDatabase, "select">;

export type OpenIndex = {
  db: IndexDatabase;
  /** The schema of the served build. */
  servedBuild: () => string;
  /** The checkpoint of this version's build while an earlier build is served; otherwise undefined. */
  pendingCheckpoint: () => string | undefined;
  /** Identifies the server and the build that are read. */
  source: () => object;
  /** Records the checkpoint of a head that was served. */
  served: (checkpoint: string) => void;
  /** Makes sure that queries see a revision of the store. They may join its tables, and a replica receives writes later. */
  requireStore: (revision: string) => Promise<void>;
  close: () => Promise<void>;
};

type Options = {
  databaseUrl: string;
  poolMode: PoolMode;
  /** The URLs of replicas of the database. */
  readUrls: readonly string[];
  maxLagSeconds?: number;
  /** The schema of this version's build. */
  build: string;
  /** Called when an idle connection fails or the builds can't be read. */
  onError: (error: unknown) => void;
  /** Called when another server is read. */
  onSource: (source: Source) => void;
  /** Called when the primary or a replica can't be checked, once until that succeeds again. */
  onSourceFailure: (source: Source, error: unknown) => void;
};

/** The maximum number of connections of one gateway process to the index. */
export const INDEX_CONNECTIONS = 20;

/** Intervals of the check which build and server to read: while that may change soon, and otherwise. */
const CHECK_MS = 500;
const SLOW_CHECK_MS = 5_000;

/** How long this version's build may be behind another one, because its indexer has stopped, before the other is served. */
const BEHIND_MS = 10_000;

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#locks-at-start
 *
 * A read that waits longer for a lock fails, and releases its own locks. Without this, PostgreSQL looks for deadlocks after 1 s,
 * and ends a starting Ponder, which locks all tables in its own order, as well as reads.
 *
 * Test: test/system/restart.test.ts "locks the tables of the index while clients read them, without a deadlock or a failed read"
 */
const LOCK_MS = 500;

/** How often a read is attempted that can't get its locks. */
const LOCK_ATTEMPTS = 20;

/** SQLSTATE of a lock timeout, of a deadlock, and of a conflict with the recovery of a replica. */
const isLocked = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(55P03|40P01|40001)$/.test(error.code ?? "");

/** Repeats a read that can't get its locks. Every read is one statement. */
async function untilUnlocked<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || !isLocked(error)) throw error;
    }
  }
}

/**
 * Opens the index: this version's build, or an earlier one while this version's is behind, on the primary or a replica.
 * Connects lazily, so the database may start later.
 */
export function openIndex(options: Options): OpenIndex {
  const { build, onError, onSource, onSourceFailure, ...servers } = options;
  const connectTo = (source: Source, schema: string) => {
    const pool = openPool({
      databaseUrl: source.url,
      poolMode: options.poolMode,
      isReadOnly: true,
      settings: { search_path: schema, lock_timeout: LOCK_MS, statement_timeout: STATEMENT_MS },
      // An indexer does not drop a build while a gateway is connected to it.
      application_name: `intentry ${schema}`,
      max: INDEX_CONNECTIONS,
    });
    pool.on("error", onError);
    const unwatch = watchPool("index", pool);
    const clients = new Set<pg.Client>();
    pool.on("connect", (client) => clients.add(client as pg.PoolClient & pg.Client));
    pool.on("remove", (client) => clients.delete(client as pg.PoolClient & pg.Client));
    return {
      source,
      schema,
      pool,
      /** Makes running queries fail. */
      abort() {
        for (const client of clients) client.end().catch(onError);
      },
      /** Closes the connections after the running queries. */
      async end() {
        unwatch();
        await pool.end();
      },
    };
  };
  const sources = new Sources({ ...servers, onFailure: onSourceFailure });
  let served = connectTo(sources.current, build);
  let pending = "";
  let closed = false;
  let behindSince: number | undefined;

  const serve = (source: Source, schema: string) => {
    if (closed || (source === served.source && schema === served.schema)) return;
    const previous = served;
    served = connectTo(source, schema);
    if (source !== previous.source) onSource(source);
    // Queries on a replica that hangs would wait until their requests time out. They are repeated on the next server.
    if (!sources.hasAnswered(previous.source)) previous.abort();
    previous.end().catch(onError);
  };

  /** The build to serve. Once this version's build was served, a newer one replaces it only after a while, not at each block. */
  const chooseSchema = async () => {
    const { schema, isOwn, ownCheckpoint } = await chooseBuild(served.pool, build, () => sources.checkpoint);
    pending = ownCheckpoint;
    const isServed = served.schema === build && sources.checkpoint !== "";
    if (isOwn || !isServed || ownCheckpoint === "") {
      behindSince = undefined;
      return { schema, isOwn };
    }
    behindSince ??= steadyTime();
    return { schema: steadyTime() - behindSince >= BEHIND_MS ? schema : build, isOwn };
  };

  let isSettled = false;
  const check = async () => {
    isSettled = false;
    serve(await sources.check(served.schema), served.schema);
    const { schema, isOwn } = await chooseSchema();
    serve(served.source, schema);
    isSettled = isOwn && !sources.hasReplicas;
  };
  const checks = repeat({ task: check, pauseMs: () => (isSettled ? SLOW_CHECK_MS : CHECK_MS), onError });
  /** The first check, which chooses the build and the server. */
  let choosing: Promise<void> | undefined = checks.first.finally(() => {
    choosing = undefined;
  });

  const query = async (...args: Parameters<pg.Pool["query"]>) => {
    if (choosing) await choosing;
    const { pool, source } = served;
    try {
      return await untilUnlocked(() => Promise.resolve(pool.query(...args)));
    } catch (error) {
      if (!source.isReplica || databaseProblemOf(error) !== "unavailable") throw error;
      serve(sources.leaveOut(source), served.schema);
      return untilUnlocked(() => Promise.resolve(served.pool.query(...args)));
    }
  };
  const router = { query };
  const readRevision = shareReads(async () => {
    const { rows } = await served.pool.query<{ number: string }>("SELECT number::text FROM offchain.revision");
    return BigInt(rows[0]?.number ?? 0);
  });
  return {
    db: drizzle(router as unknown as pg.Pool, { casing: "snake_case" }),
    servedBuild: () => served.schema,
    source: () => served,
    pendingCheckpoint: () => (served.schema === build ? undefined : pending),
    served: (checkpoint) => sources.served(checkpoint),
    async requireStore(revision) {
      if (served.source.isReplica)
        serve(await sources.requireStore(BigInt(revision || 0), readRevision.read), served.schema);
    },
    async close() {
      closed = true;
      await checks.stop();
      await Promise.all([served.end(), sources.close()]);
    },
  };
}
