import { getTableName, is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { drizzle } from "drizzle-orm/node-postgres";
import { getTableConfig, type PgDatabase, type PgQueryResultHKT, PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { sameDeploymentPattern } from "../../config/index-build";
import * as schemaModule from "../../ponder.schema";
import { PreparedPool, STATEMENT_MS } from "../database/prepared-pool";

/** Read access to the index. */
export type IndexDatabase = Pick<PgDatabase<PgQueryResultHKT>, "select" | "execute" | "with" | "$with">;

export type OpenIndex = {
  db: IndexDatabase;
  /** The checkpoint of this version's build while an earlier build is served; otherwise undefined. */
  pendingCheckpoint: () => string | undefined;
  close: () => Promise<void>;
};

type Options = {
  databaseUrl: string;
  /** The schema of this version's build. */
  build: string;
  /** Called when an idle connection fails or the builds can't be read. */
  onError: (error: unknown) => void;
};

const POOL_SIZE = 20;
const CONNECT_MS = 3_000;

/** Interval of the check whether this version's build has caught up. */
const CHECK_MS = 500;

/** The columns that this version's queries need. */
const neededColumns = Object.values({ ...schemaModule }).flatMap((table: unknown) =>
  is(table, PgTable)
    ? getTableConfig(table).columns.map((column) => ({
        table: getTableName(table),
        // Ponder uses snake_case column names, like the `casing` option below.
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

type Choice = { schema: string; isFinal: boolean; ownCheckpoint: string };

/**
 * A read that waits longer for a lock fails, and releases its own locks. PostgreSQL looks for deadlocks after 1 s, and would
 * end a starting Ponder, which locks all tables in its own order, as well as reads.
 */
const LOCK_MS = 500;

/** How often a read is attempted that can't get its locks. */
const LOCK_ATTEMPTS = 20;

/** SQLSTATE of a lock timeout and of a deadlock. */
const isLocked = (error: unknown) => error instanceof pg.DatabaseError && /^(55P03|40P01)$/.test(error.code ?? "");

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
 * Chooses the build to serve: the newest compatible earlier build until this version's build has reached the same block.
 * Responses therefore never go back in time.
 */
async function chooseBuild(pool: pg.Pool, { build }: Options): Promise<Choice> {
  const own = await progressOf(pool, build);
  const ownCheckpoint = own?.checkpoint ?? "";
  const { rows } = await pool.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ $1 AND nspname <> $2 ORDER BY oid DESC",
    [sameDeploymentPattern(build), build],
  );
  for (const { name } of rows) {
    const other = await progressOf(pool, name);
    if (!other?.isReady || !(await isCompatible(pool, name))) continue;
    const isReached = own?.isReady && own.checkpoint >= other.checkpoint;
    return { schema: isReached ? build : name, isFinal: isReached === true, ownCheckpoint };
  }
  return { schema: build, isFinal: own?.isReady === true, ownCheckpoint };
}

/**
 * Opens the index for reading: this version's build, or an earlier one while this version's is behind. Connects lazily,
 * so the database may start later.
 */
export function openIndex(options: Options): OpenIndex {
  const { databaseUrl, build, onError } = options;
  const connectTo = (schema: string) => {
    const pool = new PreparedPool({
      connectionString: databaseUrl,
      options: `-c search_path=${schema} -c default_transaction_read_only=on -c lock_timeout=${LOCK_MS} -c statement_timeout=${STATEMENT_MS}`,
      application_name: "intentry_gateway",
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_MS,
    });
    pool.on("error", onError);
    return { pool, schema };
  };
  let served = connectTo(build);
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let reported: string | undefined;

  const check = async () => {
    try {
      const { schema, isFinal, ownCheckpoint } = await chooseBuild(served.pool, options);
      pending = ownCheckpoint;
      if (schema !== served.schema && !closed) {
        const { pool: previous } = served;
        served = connectTo(schema);
        // `end` waits for running queries.
        previous.end().catch(onError);
      }
      if (isFinal) return;
      reported = undefined;
    } catch (error) {
      // Report a repeated error once.
      if (!closed && reported !== String(error)) onError(error);
      reported = String(error);
    }
    if (!closed) timer = setTimeout(check, CHECK_MS);
  };
  const checking = check();
  const query = (...args: Parameters<pg.Pool["query"]>) =>
    untilUnlocked(() => Promise.resolve(served.pool.query(...args)));
  const router = { query };
  return {
    db: drizzle(router as pg.Pool, { casing: "snake_case" }),
    pendingCheckpoint: () => (served.schema === build ? undefined : pending),
    async close() {
      closed = true;
      clearTimeout(timer);
      await checking;
      await served.pool.end();
    },
  };
}
