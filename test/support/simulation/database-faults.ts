import pg from "pg";
import { withClient } from "../../../stack/index-builds";
import type { Random } from "../actions/random";
import type { Postgres } from "../postgres-server";
import { eventually } from "./service";

/** Runs statements as an administrator, whatever the default of transactions is. */
const administer = (url: string, statements: readonly string[]) =>
  withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

/** Makes all transactions of the server read-only by default, as after a failover, or writable again. */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  await administer(url, [
    isReadOnly
      ? "ALTER SYSTEM SET default_transaction_read_only = on"
      : "ALTER SYSTEM RESET default_transaction_read_only",
    "SELECT pg_reload_conf()",
  ]);
  await eventually("reloaded settings", () =>
    withClient(url, async (client) => {
      const { rows } = await client.query("SHOW default_transaction_read_only");
      return rows[0]?.default_transaction_read_only === (isReadOnly ? "on" : "off");
    }),
  );
}

const FUNCTION = "public.simulated_disk_full";

/** The tables of the store, of the index and of Ponder's cache. */
const TABLES = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname IN ('offchain', 'ponder_sync') OR schemaname LIKE 'intentry%' ORDER BY 1`;

/**
 * The function of the triggers. It is replaced without a lock on the tables: a fault would have to wait for the locks of
 * transactions that fail and are retried.
 */
const triggerFunction = (body: string) =>
  `CREATE OR REPLACE FUNCTION ${FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$`;

export const freeDisk = (url: string): Promise<void> => administer(url, [triggerFunction("RETURN NULL;")]);

/**
 * Makes every insert and update fail with disk_full (53100), as when PostgreSQL can't extend a table's file. The error comes
 * from triggers: a file system of a limited size can't be mounted without root rights. All tables get theirs before the
 * first statement fails.
 */
export async function fillDisk(url: string): Promise<void> {
  await freeDisk(url);
  await changeTables(
    url,
    (table) => `CREATE OR REPLACE TRIGGER simulated_disk_full BEFORE INSERT OR UPDATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${FUNCTION}()`,
  );
  await administer(url, [
    triggerFunction("RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';"),
  ]);
}

/** SQLSTATE of undefined_table: the indexer drops tables when it starts. */
const UNDEFINED_TABLE = "42P01";

/** Runs a statement for each table. It is repeated after a deadlock with the service. */
async function changeTables(url: string, statementFor: (table: string) => string): Promise<void> {
  const tables = await withClient(url, async (client) => (await client.query<{ name: string }>(TABLES)).rows);
  for (const { name } of tables)
    await eventually(`a changed trigger of ${name}`, () =>
      administer(url, [statementFor(name)]).then(
        () => true,
        (error: unknown) => error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE,
      ),
    );
}

/** Kills a server process of one of the service's connections, as the kernel does without memory. PostgreSQL restarts itself. */
export async function killBackend(url: string, random: Random): Promise<void> {
  const number = random.below(1_000_000);
  const { startedAt, pid } = await withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY pid",
    );
    return { pid: rows[number % Math.max(1, rows.length)]?.pid, startedAt: await startTime(client) };
  });
  if (pid === undefined) return;
  process.kill(pid, "SIGKILL");
  await eventually("recovery of PostgreSQL", () =>
    withClient(url, async (client) => (await startTime(client)) !== startedAt || undefined),
  );
}

/** When the server's statistics were last reset, which a recovery after a crash does. */
async function startTime(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ reset: string }>(
    "SELECT coalesce(stats_reset::text, '') AS reset FROM pg_stat_bgwriter",
  );
  return rows[0]?.reset ?? "";
}

/** Restores everything that a fault may have changed. */
export async function repair(postgres: Postgres, url: string): Promise<void> {
  await setReadOnly(postgres.url, false);
  await freeDisk(url);
}
