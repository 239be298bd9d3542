import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { buildSchemaPattern, legacyBuildSchema } from "./index-build";

/** An indexer that has not renewed its lock for this long is gone. It is Ponder's own limit. */
const HEARTBEAT_MS = 25_000;

/** How often the state of the builds is checked: until this build is published, and afterwards. */
const UNPUBLISHED_MS = 250;
const PUBLISHED_MS = 30_000;

/** Readers queue behind a waiting DROP VIEW, so it must not wait long for a slow query. */
const LOCK_TIMEOUT = "2s";

type Meta = { isReady: boolean; isLocked: boolean };

const name = pg.escapeIdentifier;

/** Reads the state that Ponder keeps in a build's schema. Undefined before Ponder has created its tables. */
async function readMeta(client: pg.ClientBase, schema: string): Promise<Meta | undefined> {
  const table = `${name(schema)}._ponder_meta`;
  const { rows: found } = await client.query("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
  if (!found[0]?.found) return undefined;
  const { rows } = await client.query(
    `SELECT (value->>'is_ready')::int = 1 AS ready,
       (value->>'is_locked')::int = 1 AND (value->>'heartbeat_at')::numeric > $1 AS locked
     FROM ${table} WHERE key = 'app'`,
    [Date.now() - HEARTBEAT_MS],
  );
  return rows[0] && { isReady: rows[0].ready === true, isLocked: rows[0].locked === true };
}

/** The relations of a schema that the gateway reads: not the shadow tables with which Ponder undoes a reorg. */
const READ_RELATIONS = `
  SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'v') AND NOT starts_with(c.relname, '_reorg__')`;

/** Whether every column of the build's relations is also published, with the same type. */
async function isCompatible(client: pg.ClientBase, published: string, build: string): Promise<boolean> {
  const columns = "SELECT table_name, column_name, udt_name FROM information_schema.columns WHERE table_schema =";
  const { rows } = await client.query(
    `SELECT NOT EXISTS (${columns} $1 AND NOT starts_with(table_name, '_reorg__') EXCEPT ${columns} $2) AS compatible`,
    [build, published],
  );
  return rows[0]?.compatible === true;
}

/** The build that the views show; undefined where there are none. */
async function publishedBuild(client: pg.ClientBase, published: string): Promise<string | undefined> {
  const { rows } = await client.query(
    `SELECT obj_description(oid, 'pg_namespace') AS build FROM pg_namespace
     WHERE nspname = $1 AND to_regclass($2) IS NOT NULL`,
    [published, `${name(published)}._ponder_meta`],
  );
  return rows[0]?.build ?? undefined;
}

async function inTransaction(client: pg.ClientBase, act: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await act();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Makes the published views show a build. Readers see either the old build or the new one. */
const publish = (client: pg.ClientBase, published: string, build: string) =>
  inTransaction(client, async () => {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${name(published)}`);
    const { rows: views } = await client.query<{ name: string }>(READ_RELATIONS, [published]);
    for (const view of views) await client.query(`DROP VIEW ${name(published)}.${name(view.name)}`);
    const { rows: tables } = await client.query<{ name: string }>(READ_RELATIONS, [build]);
    for (const table of tables)
      await client.query(
        `CREATE VIEW ${name(published)}.${name(table.name)} AS SELECT * FROM ${name(build)}.${name(table.name)}`,
      );
    await client.query(`COMMENT ON SCHEMA ${name(published)} IS ${pg.escapeLiteral(build)}`);
  });

const listBuilds = async (client: pg.ClientBase, databaseSchema: string) => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ $1 ORDER BY nspname",
    [buildSchemaPattern(databaseSchema)],
  );
  return rows.map((row) => row.name);
};

/** Drops the builds that no indexer works on. Returns whether only `build` is left. */
async function dropOtherBuilds(client: pg.ClientBase, databaseSchema: string, build: string): Promise<boolean> {
  let isOnly = true;
  for (const other of await listBuilds(client, databaseSchema)) {
    if (other === build) continue;
    if ((await readMeta(client, other))?.isLocked) isOnly = false;
    else await client.query(`DROP SCHEMA ${name(other)} CASCADE`);
  }
  return isOnly;
}

/** Drops the published views and every build behind them. */
export async function dropIndex(client: pg.ClientBase, databaseSchema: string): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${name(databaseSchema)} CASCADE`);
  for (const build of await listBuilds(client, databaseSchema))
    await client.query(`DROP SCHEMA ${name(build)} CASCADE`);
}

/** An indexer of an earlier version is still running on the schema that is to be moved. */
class IndexInUse extends Error {
  override name = "IndexInUse";

  constructor(schema: string) {
    super(
      `Schema ${schema} is in use by an indexer of an earlier version. Stop it, or set DATABASE_SCHEMA to another name.`,
    );
  }
}

/** Moves an index from before builds had schemas of their own, and publishes it until the new build has caught up. */
async function moveLegacyIndex(client: pg.ClientBase, databaseSchema: string): Promise<void> {
  const { rows } = await client.query("SELECT relkind FROM pg_class WHERE oid = to_regclass($1)", [
    `${name(databaseSchema)}._ponder_meta`,
  ]);
  if (rows[0]?.relkind !== "r") return;
  if ((await readMeta(client, databaseSchema))?.isLocked) throw new IndexInUse(databaseSchema);
  const legacy = legacyBuildSchema(databaseSchema);
  await client.query(`ALTER SCHEMA ${name(databaseSchema)} RENAME TO ${name(legacy)}`);
  await publish(client, databaseSchema, legacy);
}

/** Releases a build's lock. Only for the process that knows that its indexer has ended without doing so. */
export async function releaseLock(databaseUrl: string, build: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    if (await readMeta(client, build))
      await client.query(`UPDATE ${name(build)}._ponder_meta SET value = jsonb_set(value, '{is_locked}', '0')`);
  });
}

export async function withClient<Value>(
  databaseUrl: string,
  act: (client: pg.Client) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A connection that breaks also rejects the query that is running on it.
  client.on("error", () => {});
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

type Options = { databaseUrl: string; databaseSchema: string; build: string };

/** One step: publishes this build if it is ready, or if nothing else can be served. Returns whether all is done. */
async function step(client: pg.ClientBase, { databaseSchema, build }: Omit<Options, "databaseUrl">): Promise<boolean> {
  const meta = await readMeta(client, build);
  if (!meta) return false;
  const published = await publishedBuild(client, databaseSchema);
  if (published !== build) {
    const isServable = published !== undefined && (await isCompatible(client, databaseSchema, build));
    if (meta.isReady || !isServable) await publish(client, databaseSchema, build);
  }
  return meta.isReady && (await dropOtherBuilds(client, databaseSchema, build));
}

export type PublishedIndex = { stop: () => Promise<void> };

/**
 * Publishes a build under its public name: once it has caught up, or at once where no earlier build can be served
 * instead. Then drops the earlier builds. Call it before the indexer starts, and stop it after the indexer has ended.
 */
export async function publishIndex(options: Options, onError: (error: unknown) => void): Promise<PublishedIndex> {
  await withClient(options.databaseUrl, (client) => moveLegacyIndex(client, options.databaseSchema));
  const stopped = new AbortController();
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      let isDone = false;
      try {
        isDone = await withClient(options.databaseUrl, (client) => step(client, options));
      } catch (error) {
        if (!stopped.signal.aborted) onError(error);
      }
      await setTimeout(isDone ? PUBLISHED_MS : UNPUBLISHED_MS, undefined, stopped).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await loop;
    },
  };
}
