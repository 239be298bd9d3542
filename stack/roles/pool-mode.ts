import pg from "pg";
import { type Environment, InvalidEnvironment } from "../../config/environment";
import { type PoolMode, poolModes } from "../../config/variables/database";

/** A value that no server has by default, in milliseconds. */
const MARK = 54_321;

const CONNECT_MS = 5_000;

/**
 * Whether connections to a database keep the parameters that they were opened with. Most poolers reject these parameters, or
 * ignore them.
 */
export async function keepsParameters(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: `-c lock_timeout=${MARK}`,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  // A broken connection also rejects the running query.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT setting FROM pg_settings WHERE name = 'lock_timeout'");
    return rows[0]?.setting === String(MARK);
  } catch (error) {
    if (error instanceof Error && /unsupported startup parameter/i.test(error.message)) return false;
    throw error;
  } finally {
    await client.end();
  }
}

const POOLER = "DATABASE_URL: is the address of a pooler, which does not keep the settings of a connection";

/**
 * The pool mode of a gateway, from its own environment: the published settings are read with it. Throws
 * {@link InvalidEnvironment} if it is `session` although there is a pooler.
 */
export async function checkedPoolMode(env: NodeJS.ProcessEnv, databaseUrl: string): Promise<PoolMode> {
  const { DATABASE_POOL_MODE = "" } = env;
  const poolMode = poolModes.find((mode) => mode === (DATABASE_POOL_MODE || "session"));
  if (!poolMode) throw new InvalidEnvironment(["DATABASE_POOL_MODE: must be session or transaction"]);
  if (poolMode === "session" && !(await keepsParameters(databaseUrl)))
    throw new InvalidEnvironment([`${POOLER}; set DATABASE_POOL_MODE=transaction`]);
  return poolMode;
}

/** Throws {@link InvalidEnvironment} if the indexer would connect through a pooler. Ponder keeps settings in its sessions. */
export async function requireSessions({ poolMode }: Pick<Environment, "poolMode">, databaseUrl: string): Promise<void> {
  if (poolMode !== "session")
    throw new InvalidEnvironment([
      "DATABASE_POOL_MODE: must be session for the indexer; connect it to PostgreSQL itself, and set transaction for npm run api only",
    ]);
  if (!(await keepsParameters(databaseUrl)))
    throw new InvalidEnvironment([`${POOLER}; the indexer must connect to PostgreSQL itself`]);
}
