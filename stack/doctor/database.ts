import pg from "pg";
import { INDEX_CONNECTIONS } from "../../api/indexed/database";
import { STORE_CONNECTIONS } from "../../api/offchain/open";
import { anyBuildPattern } from "../../config/index-build";
import type { PoolMode } from "../../config/variables/database";
import { keepsParameters } from "../roles/pool-mode";
import { CHECK_MS, CheckFailure, check, type Finding, failed, ok, type Result, warning } from "./check";
import { describeError } from "./describe-error";

/** The oldest supported server, as a major version. */
const MIN_VERSION = 14;

/** Ponder's pools. */
const INDEXER_CONNECTIONS = 30;

/** The indexer's connection for the published head, and the supervisor's for index builds. */
const OTHER_CONNECTIONS = 2;

/** Connects with the time limits of a check. */
export async function connectDatabase(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
    application_name: "intentry doctor",
  });
  // A broken connection also rejects the running query.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** The host and port of a database, without its credentials. */
export const databaseHost = (url: string): string => {
  const { host, port } = new pg.Client({ connectionString: url });
  return `${host}:${port}`;
};

type Server = { major: number; version: string; inRecovery: boolean; readOnly: boolean };

export async function checkServer(client: pg.Client, host: string): Promise<Finding> {
  const { rows } = await client.query<Server>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_version') AS version,
       pg_is_in_recovery() AS "inRecovery", current_setting('transaction_read_only') = 'on' AS "readOnly"`,
  );
  const [server] = rows;
  if (!server) return failed(`${host} returns nothing.`, "Check DATABASE_URL.");
  const { major, version, inRecovery, readOnly } = server;
  if (major < MIN_VERSION)
    return failed(`${host} runs PostgreSQL ${version}.`, `Upgrade it to PostgreSQL ${MIN_VERSION} or newer.`);
  if (inRecovery) return failed(`${host} is a replica.`, "Set DATABASE_URL to the primary server.");
  if (readOnly)
    return failed(`${host} is read-only.`, "Reset default_transaction_read_only for the server, database and role.");
  return ok(`PostgreSQL ${version} at ${host} accepts writes.`);
}

type Rights = {
  role: string;
  database: string;
  mayCreate: boolean;
  /** Existing schemas of this service without the right to use them or to create tables in them. */
  unusable: string[];
  /** Tables of the store without all rights. */
  lockedTables: string[];
  /** Existing schemas of other roles. */
  foreign: string[];
};

/** Reads the rights from the catalog, so that nothing is created. */
async function checkRights(client: pg.Client, databaseSchema: string): Promise<Finding> {
  const { rows } = await client.query<Rights>(
    `WITH ours AS (
       SELECT oid, nspname, nspowner FROM pg_namespace
       WHERE nspname IN ('offchain', 'ponder_sync', $1) OR nspname ~ $2
     ), usable AS (
       SELECT *, has_schema_privilege(oid, 'USAGE') AND has_schema_privilege(oid, 'CREATE') AS is_usable FROM ours
     )
     SELECT current_user AS role, current_database() AS database,
       has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
       ARRAY(SELECT nspname::text FROM usable WHERE NOT is_usable ORDER BY 1) AS unusable,
       ARRAY(SELECT nspname::text FROM ours WHERE NOT pg_has_role(nspowner, 'USAGE') ORDER BY 1) AS foreign,
       ARRAY(
         SELECT relname::text FROM pg_class WHERE relnamespace = (SELECT oid FROM ours WHERE nspname = 'offchain')
         AND relkind = 'r' AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
           AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) ORDER BY 1
       ) AS "lockedTables"`,
    [databaseSchema, anyBuildPattern(databaseSchema)],
  );
  const [rights] = rows;
  if (!rights) throw new Error("The rights could not be read");
  const role = pg.escapeIdentifier(rights.role);
  const { unusable, lockedTables, foreign } = rights;
  // Every start runs CREATE SCHEMA IF NOT EXISTS, which PostgreSQL refuses without this right even if the schema exists.
  if (!rights.mayCreate)
    return failed(
      `Role ${rights.role} may not create schemas.`,
      `Run as the database's owner: GRANT CREATE ON DATABASE ${pg.escapeIdentifier(rights.database)} TO ${role};`,
    );
  if (unusable.length > 0)
    return failed(
      `Role ${rights.role} may not use the existing schemas ${unusable.join(", ")}.`,
      `Connect as their owner, or run: GRANT USAGE, CREATE ON SCHEMA ${unusable.join(", ")} TO ${role};`,
    );
  if (lockedTables.length > 0)
    return failed(
      `Role ${rights.role} may not read and write the store's tables ${lockedTables.join(", ")}.`,
      `Connect as their owner, or run: GRANT ALL ON ALL TABLES IN SCHEMA offchain TO ${role};`,
    );
  if (foreign.length > 0)
    return warning(
      `The schemas ${foreign.join(", ")} belong to another role than ${rights.role}.`,
      "An upgrade must be able to alter and drop them: connect as their owner.",
    );
  return ok(`Role ${rights.role} may create and use all schemas.`);
}

type Limits = { server: number; role: number; database: number };

async function checkConnections(client: pg.Client, gateways: number): Promise<Finding> {
  const { rows } = await client.query<Limits>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int AS server,
       (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role,
       (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS database`,
  );
  const [limits] = rows;
  if (!limits) throw new Error("The limits could not be read");
  // A limit of -1 does not apply.
  const available = Math.min(...Object.values(limits).filter((limit) => limit >= 0));
  const needed = INDEXER_CONNECTIONS + OTHER_CONNECTIONS + gateways * (INDEX_CONNECTIONS + STORE_CONNECTIONS);
  const text = `The indexer and ${gateways} gateway ${gateways === 1 ? "process" : "processes"} use up to ${needed} connections; ${available} are allowed.`;
  return needed <= available
    ? ok(text)
    : warning(text, "Raise max_connections or the limit of the role or database, or lower API_WORKERS.");
}

/** Checks whether `DATABASE_POOL_MODE` is right. */
async function checkPoolMode(url: string, poolMode: PoolMode): Promise<Finding> {
  if (poolMode === "transaction")
    return ok("Gateways keep nothing in a connection (DATABASE_POOL_MODE=transaction). The indexer needs sessions.");
  if (await keepsParameters(url)) return ok("Connections keep their settings.");
  return failed(
    "DATABASE_URL is the address of a pooler, which does not keep the settings of a connection.",
    "Set DATABASE_POOL_MODE=transaction for `npm run api`. Connect the indexer to PostgreSQL itself.",
  );
}

/** Warns if the clocks of this machine and the database differ by more than this. */
const MAX_DIFFERENCE_MS = 2_000;

export async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ ms: number }>(
    "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms",
  );
  const after = Date.now();
  const ms = rows[0]?.ms ?? 0;
  // The server read its clock at an unknown time between the two.
  const difference = ms < before ? ms - before : ms > after ? ms - after : 0;
  const text = `The database's clock is ${Math.abs(difference / 1000).toFixed(1)} s ${difference < 0 ? "behind" : "ahead of"} this machine's.`;
  return Math.abs(difference) > MAX_DIFFERENCE_MS
    ? warning(text, "Synchronize both clocks (NTP): leases and limits use the database's, payments this machine's.")
    : ok("The clocks of the database and this machine agree.");
}

type Options = { url: string; poolMode: PoolMode; databaseSchema: string; gateways: number };

/** Checks the database, with statements that change nothing. */
export async function checkDatabase({ url, poolMode, databaseSchema, gateways }: Options): Promise<Result[]> {
  const host = databaseHost(url);
  let client: pg.Client | undefined;
  const first = await check("database", async () => {
    client = await connectDatabase(url).catch((error: unknown) => {
      throw new CheckFailure(
        `Can't connect to ${host} (${describeError(error)}).`,
        "Check DATABASE_URL, and that the server accepts connections from this machine.",
      );
    });
    return checkServer(client, host);
  });
  if (!client) return [first];
  const connected = client;
  try {
    return [
      first,
      await check("database rights", () => checkRights(connected, databaseSchema)),
      await check("database connections", () => checkConnections(connected, gateways)),
      await check("database pooling", () => checkPoolMode(url, poolMode)),
      await check("database clock", () => checkClock(connected)),
    ];
  } finally {
    void connected.end().catch(() => {});
  }
}
