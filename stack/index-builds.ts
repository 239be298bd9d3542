import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { READER_LEASE_SECONDS } from "../api/offchain/index-readers";
import { isDiskFull, WRITE_PROBE } from "../api/offchain/write-probe";
import { anyBuildPattern, sameDeploymentPattern } from "../config/index-build";
import { steadyTime } from "../config/steady-time";

/** A lock that has not been renewed for this long is stale. Same limit as in Ponder. */
const HEARTBEAT_MS = 25_000;

/** How often to check whether the build has caught up and others can be dropped. */
const CHECK_MS = 1_000;

/** How long to keep earlier builds after this one has caught up, so that gateways can switch to it. */
const KEPT_MS = 5_000;

type BuildState = { isReady: boolean; isLocked: boolean; checkpoint: string };

const name = pg.escapeIdentifier;

/** Reads the state that Ponder keeps in a build's schema. Undefined before Ponder has created its tables. */
async function readState(client: pg.ClientBase, build: string): Promise<BuildState | undefined> {
  const schema = name(build);
  const { rows: found } = await client.query("SELECT to_regclass($1) IS NOT NULL AS found", [`${schema}._ponder_meta`]);
  if (!found[0]?.found) return undefined;
  const { rows } = await client.query(
    `SELECT (value->>'is_ready')::int = 1 AS "isReady",
       (value->>'is_locked')::int = 1 AND (value->>'heartbeat_at')::numeric > $1 AS "isLocked",
       coalesce((SELECT max(latest_checkpoint) FROM ${schema}._ponder_checkpoint), '') AS checkpoint
     FROM ${schema}._ponder_meta WHERE key = 'app'`,
    [Date.now() - HEARTBEAT_MS],
  );
  return rows[0];
}

/** The schemas whose names match a pattern, optionally only those created before another schema. */
async function schemasLike(client: pg.ClientBase, pattern: string, before?: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace
     WHERE nspname ~ $1 AND ($2::text IS NULL OR oid < (SELECT oid FROM pg_namespace WHERE nspname = $2))
     ORDER BY nspname`,
    [pattern, before ?? null],
  );
  return rows.map((row) => row.name);
}

/** Whether a gateway is connected to a build, or reads it through a pooler or on a replica. */
async function isServed(client: pg.ClientBase, build: string): Promise<boolean> {
  // Other databases of the server may have a build of the same name.
  const { rows } = await client.query(
    "SELECT FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() LIMIT 1",
    [`intentry ${build}`],
  );
  if (rows.length > 0) return true;
  const { rows: found } = await client.query("SELECT to_regclass('offchain.index_reader') IS NOT NULL AS found");
  if (!found[0]?.found) return false;
  const { rows: readers } = await client.query(
    "SELECT FROM offchain.index_reader WHERE build = $1 AND renewed_at > clock_timestamp() - make_interval(secs => $2) LIMIT 1",
    [build, READER_LEASE_SECONDS],
  );
  return readers.length > 0;
}

/** The earlier builds of the same deployment that nobody uses, and whether this build has reached their last blocks. */
async function earlierBuilds(client: pg.ClientBase, build: string) {
  const own = await readState(client, build);
  const unused: string[] = [];
  let isReached = own?.isReady === true;
  let isOnly = true;
  // Only earlier builds: after a rollback, the older version must not drop the newer one's build.
  for (const schema of await schemasLike(client, sameDeploymentPattern(build), build)) {
    isOnly = false;
    const state = await readState(client, schema);
    if (state?.isLocked || (await isServed(client, schema))) continue;
    unused.push(schema);
    if (own && state && own.checkpoint < state.checkpoint) isReached = false;
  }
  return { unused, isReached, isOnly };
}

/** Drops all builds of an index and its views. */
export async function dropIndex(client: pg.ClientBase, databaseSchema: string): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${name(databaseSchema)} CASCADE`);
  for (const build of await schemasLike(client, anyBuildPattern(databaseSchema)))
    await client.query(`DROP SCHEMA ${name(build)} CASCADE`);
}

/** A schema contains the index of another chain. */
class OtherChain extends Error {
  override name = "OtherChain";

  constructor(schema: string, chainId: string) {
    super(`Schema ${schema} holds the index of chain ${chainId}. Set DATABASE_SCHEMA to another name.`);
  }
}

/** Throws {@link OtherChain} if a schema contains Ponder's tables or views for another chain. */
async function requireChain(client: pg.ClientBase, schema: string, chainId: number): Promise<void> {
  const table = `${name(schema)}._ponder_checkpoint`;
  const { rows: found } = await client.query("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
  if (!found[0]?.found) return;
  const { rows } = await client.query(`SELECT chain_id FROM ${table} WHERE chain_id <> $1`, [chainId]);
  if (rows[0]) throw new OtherChain(schema, rows[0].chain_id);
}

/** Throws {@link OtherChain} if any build of an index, or its views, belong to another chain. */
export async function requireChainOfAll(client: pg.ClientBase, databaseSchema: string, chainId: number): Promise<void> {
  for (const schema of [databaseSchema, ...(await schemasLike(client, anyBuildPattern(databaseSchema)))])
    await requireChain(client, schema, chainId);
}

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#schema-lock
 *
 * Releases a build's lock, by a write to Ponder's own table `_ponder_meta`. Call it only after the indexer that held the lock
 * has ended. Without it, an indexer that was killed starts again only after its lock has expired, up to 25 s later.
 *
 * Test: test/system/restart.test.ts "resumes after kill -9, with every acknowledged document"
 */
export async function releaseLock(databaseUrl: string, build: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    if (await readState(client, build))
      await client.query(`UPDATE ${name(build)}._ponder_meta SET value = jsonb_set(value, '{is_locked}', '0')`);
  });
}

/** How long to wait for the database at startup. */
const DATABASE_WAIT_MS = 60_000;

/** The database does not answer. The message omits the URL, which contains a password. */
class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";

  constructor(cause: unknown) {
    super(`The database of DATABASE_URL does not answer: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Waits up to a minute for the database. Calls `onWaiting` once if the first attempt fails. */
export async function databaseReady(
  databaseUrl: string,
  onWaiting: (error: Error) => void,
  waitMs = DATABASE_WAIT_MS,
): Promise<void> {
  const deadline = steadyTime() + waitMs;
  for (let attempt = 0; ; attempt++) {
    try {
      await withClient(databaseUrl, (client) => client.query("SELECT 1"));
      return;
    } catch (cause) {
      const error = new DatabaseUnavailable(cause);
      if (steadyTime() > deadline || isRefusal(cause)) throw error;
      if (attempt === 0) onWaiting(error);
    }
    await setTimeout(500);
  }
}

/** Waits while the disk of the database is full. Calls `onFull` once if it is. The caller handles all other problems. */
export async function databaseWritable(databaseUrl: string, onFull: (message: string) => void): Promise<void> {
  const isFull = () =>
    withClient(databaseUrl, (client) => client.query(WRITE_PROBE)).then(
      () => false,
      (error: unknown) => isDiskFull(error),
    );
  if (!(await isFull())) return;
  onFull("The disk of the database is full. The indexer starts again when it has space.");
  do await setTimeout(1_000);
  while (await isFull());
}

/** Whether a retry can't succeed: the role, the password or the database name is wrong. */
const isRefusal = (error: unknown) =>
  error instanceof Error && "code" in error && /^(28...|3D000)$/.test(String(error.code));

export async function withClient<Value>(
  databaseUrl: string,
  act: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A broken connection also rejects the running query.
  client.on("error", () => {});
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

type Options = {
  databaseUrl: string;
  /** The schema of the indexer's build. */
  build: string;
  onError: (error: unknown) => void;
};

/**
 * Prepares the database for a build. Drops earlier builds once this one has caught up and no indexer holds their locks.
 * Call it before the indexer starts, and stop it after the indexer has ended.
 */
export function manageBuilds({ databaseUrl, build, onError }: Options): { stop: () => Promise<void> } {
  const stopped = new AbortController();
  let reachedAt: number | undefined;
  /** Drops unused earlier builds. Returns true when none is left. */
  const dropEarlier = async (client: pg.Client) => {
    const { unused, isReached, isOnly } = await earlierBuilds(client, build);
    if (!isReached) return false;
    reachedAt ??= steadyTime();
    if (steadyTime() - reachedAt >= KEPT_MS)
      for (const schema of unused) await client.query(`DROP SCHEMA ${name(schema)} CASCADE`);
    return isOnly;
  };
  let reported: string | undefined;
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      try {
        if (await withClient(databaseUrl, dropEarlier)) return;
        reported = undefined;
      } catch (error) {
        // Report an unavailable database once.
        if (!stopped.signal.aborted && reported !== String(error)) onError(error);
        reported = String(error);
      }
      await setTimeout(CHECK_MS, undefined, stopped).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await loop;
    },
  };
}
