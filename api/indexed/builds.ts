import { getTableName, is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { sameDeploymentPattern } from "../../config/index-build";
import * as schemaModule from "../../ponder.schema";

/** The columns that this version's queries need. */
const neededColumns = Object.values({ ...schemaModule }).flatMap((table: unknown) =>
  is(table, PgTable)
    ? getTableConfig(table).columns.map((column) => ({
        table: getTableName(table),
        // Ponder uses snake_case column names, like the `casing` option of the gateway's queries.
        column: column.keyAsName ? toSnakeCase(column.name) : column.name,
        type: column.getSQLType(),
      }))
    : [],
);

type Progress = {
  /** Whether the backfill up to the finalized block is done. */
  isReady: boolean;
  /** Ponder's checkpoint of the last indexed block. Checkpoints compare as strings. */
  checkpoint: string;
};

/** Reads the progress of a build. Undefined before Ponder has created its tables. */
async function progressOf(pool: pg.Pool, build: string): Promise<Progress | undefined> {
  const schema = pg.escapeIdentifier(build);
  const { rows: found } = await pool.query("SELECT to_regclass($1) IS NOT NULL AS found", [`${schema}._ponder_meta`]);
  if (!found[0]?.found) return undefined;
  const { rows } = await pool.query(
    `SELECT value->>'is_ready' = '1' AS ready,
       coalesce((SELECT max(latest_checkpoint) FROM ${schema}._ponder_checkpoint), '') AS checkpoint
     FROM ${schema}._ponder_meta WHERE key = 'app'`,
  );
  return rows[0] && { isReady: rows[0].ready === true, checkpoint: rows[0].checkpoint };
}

/** Whether a build has every needed column, with the same type. */
async function isCompatible(pool: pg.Pool, build: string): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS missing FROM unnest($2::text[], $3::text[], $4::text[]) AS needed (tab, col, typ)
     WHERE NOT EXISTS (
       SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relname = tab AND a.attname = col AND a.atttypid = to_regtype(typ)
     )`,
    [
      build,
      neededColumns.map(({ table }) => table),
      neededColumns.map(({ column }) => column),
      neededColumns.map(({ type }) => type),
    ],
  );
  return rows[0]?.missing === 0;
}

/** The build to serve. `isOwn` if it is this version's and has caught up with all others. */
export type Choice = { schema: string; isOwn: boolean; ownCheckpoint: string };

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#views
 *
 * Chooses the build to serve: the newest compatible other build until this version's build has reached the same block, and
 * the one that was served last. Responses therefore never go back in time. Without it, from Ponder's views, an upgrade removes
 * the newest rows for a while: Ponder points its views at a build that has only the finalized blocks.
 *
 * Test: test/system/upgrade.test.ts "serves the old build until the new one has caught up, then drops it"
 */
export async function chooseBuild(pool: pg.Pool, build: string, servedCheckpoint: () => string): Promise<Choice> {
  const own = await progressOf(pool, build);
  const ownCheckpoint = own?.checkpoint ?? "";
  const { rows } = await pool.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ $1 AND nspname <> $2 ORDER BY oid DESC",
    [sameDeploymentPattern(build), build],
  );
  for (const { name } of rows) {
    const other = await progressOf(pool, name);
    if (!other?.isReady || !(await isCompatible(pool, name))) continue;
    const isReached =
      own?.isReady === true && own.checkpoint >= other.checkpoint && own.checkpoint >= servedCheckpoint();
    return { schema: isReached ? build : name, isOwn: isReached, ownCheckpoint };
  }
  return { schema: build, isOwn: own?.isReady === true, ownCheckpoint };
}
