import pg from "pg";
import { openStore } from "../../../api/offchain/open";
import { withClient } from "../../../stack/index-builds";
import type { LocalChain } from "../../../stack/local/chain";
import type { Contracts } from "../../../stack/local/deploy";
import { createTestDatabase } from "../database";
import { type Index, indexOf } from "../index-of";
import type { Postgres } from "../postgres-server";
import { serviceEnvironment } from "./service";

/** What clients have stored and routes of the index show. */
const STORED = ["document", "attestation_schema", "intent_metadata", "bid"];

/** Copies the published data, so that two services differ only in their index. */
async function copyStore(from: string, to: string): Promise<void> {
  await (await openStore({ databaseUrl: to, onIdleError: () => {} })).close();
  for (const table of STORED) {
    const name = `offchain.${pg.escapeIdentifier(table)}`;
    const rows = await withClient(from, async (client) => {
      const { rows: found } = await client.query<{ all: string | null }>(
        `SELECT json_agg(stored)::text AS all FROM ${name} AS stored`,
      );
      return found[0]?.all ?? "[]";
    });
    await withClient(to, async (client) => {
      await client.query(`DELETE FROM ${name}`);
      await client.query(
        `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1)`,
        [rows],
      );
    });
  }
}

type Options = {
  chain: LocalChain;
  contracts: Contracts;
  postgres: Postgres;
  /** The database with the published data. */
  storeUrl: string;
  portfolioRpcUrl: string;
};

/** Indexes the chain from its first block, in a new database, with the published data of another service. */
export async function startFreshIndex({ chain, contracts, postgres, storeUrl, portfolioRpcUrl }: Options) {
  const database = await createTestDatabase("fresh", postgres.url);
  await copyStore(storeUrl, database.url);
  const index: Index = await indexOf(chain, contracts, {
    ...serviceEnvironment(contracts, { rpcUrl: chain.rpcUrl, portfolioRpcUrl }),
    DATABASE_URL: database.url,
  });
  const stop = async () => {
    await index.removeIndex();
    await database.drop();
  };
  try {
    await index.startIndexer();
  } catch (error) {
    await stop();
    throw error;
  }
  return { apiUrl: index.apiUrl, stop };
}
