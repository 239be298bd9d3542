import { setTimeout } from "node:timers/promises";
import { connectStore, openStore } from "../../api/offchain/open";
import { type PublishedSettings, publishSettings, readSettings } from "../../api/offchain/published-settings";
import { type Environment, InvalidEnvironment } from "../../config/environment";
import { isMissingTable } from "../../config/missing-table";
import type { PoolMode } from "../../config/variables/database";
import { sharedVariableNames } from "../../config/variables/index";

/** Throws if this environment can't be split into roles. */
export function requireSplittable({ networkName }: Environment): void {
  if (networkName === "local")
    throw new InvalidEnvironment([
      "NETWORK: is not set, or local; the built-in chain runs only with npm start, which has all roles",
    ]);
}

/** The variables to publish: those that all processes on the index share and that are set. */
const sharedOf = (env: NodeJS.ProcessEnv): PublishedSettings =>
  Object.fromEntries(sharedVariableNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** Publishes the settings for gateways on other machines. Creates the store if there is none. */
export async function publishOwnSettings(
  databaseUrl: string,
  databaseSchema: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const store = await openStore({ databaseUrl, maxConnections: 1, onIdleError: () => {} });
  try {
    await publishSettings(store.db, databaseSchema, sharedOf(env));
  } finally {
    await store.close();
  }
}

/** How often the published settings are read. */
const SETTINGS_MS = 3_000;

/** The schema of an index that is not on the built-in chain, unless DATABASE_SCHEMA is set. */
const DEFAULT_SCHEMA = "intentry";

type Variables = Readonly<Record<string, string | undefined>>;

const schemaOf = (env: Variables) => env.DATABASE_SCHEMA || DEFAULT_SCHEMA;

async function readPublished(
  env: Variables & { DATABASE_URL: string },
  poolMode: PoolMode,
): Promise<PublishedSettings | undefined> {
  const store = connectStore({ databaseUrl: env.DATABASE_URL, poolMode, maxConnections: 1, onIdleError: () => {} });
  try {
    return await readSettings(store.db, schemaOf(env));
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  } finally {
    await store.close();
  }
}

/** A process's own variables win over the published ones. */
const merge = (published: PublishedSettings, env: Variables): NodeJS.ProcessEnv => ({
  ...published,
  ...Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")),
});

/**
 * The variables of a gateway: its own, and those that an indexer has published in its database. Undefined if it has a network
 * of its own, or if none are published.
 */
export async function gatewayVariables(env: Variables): Promise<NodeJS.ProcessEnv | undefined> {
  const { DATABASE_URL, NETWORK, CHAIN_ID } = env;
  if (!DATABASE_URL || NETWORK || CHAIN_ID) return undefined;
  // Nothing is kept in the connection, so that there may be a pooler.
  const published = await readPublished({ ...env, DATABASE_URL }, "transaction");
  return published && merge(published, env);
}

/** Follows the settings that an indexer has published. */
export function followSettings(env: NodeJS.ProcessEnv & { DATABASE_URL: string }, poolMode: PoolMode) {
  const read = () => readPublished(env, poolMode);
  const merged = (published: PublishedSettings) => merge(published, env);
  let last: string | undefined;
  return {
    /** Waits until there are settings. Calls `onWaiting` at each attempt without. */
    async first(onWaiting: (reason: string) => void): Promise<NodeJS.ProcessEnv> {
      for (;;) {
        const settings = await read();
        if (settings) {
          last = JSON.stringify(settings);
          return merged(settings);
        }
        onWaiting(`Waiting for an indexer to publish its settings in the database (DATABASE_SCHEMA ${schemaOf(env)})`);
        await setTimeout(SETTINGS_MS);
      }
    },
    /**
     * Calls `onChange` with the variables whenever the published settings have changed, and `onError` if it rejects. While the
     * database does not answer, nothing changes.
     */
    async watch(
      onChange: (env: NodeJS.ProcessEnv) => Promise<void>,
      onError: (error: unknown) => void,
    ): Promise<never> {
      for (;;) {
        await setTimeout(SETTINGS_MS);
        // The gateway reports a database that does not answer.
        const settings = await read().catch(() => undefined);
        const text = settings && JSON.stringify(settings);
        if (!settings || text === last) continue;
        last = text;
        await onChange(merged(settings)).catch(onError);
      }
    },
  };
}
