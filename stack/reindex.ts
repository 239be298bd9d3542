import pg from "pg";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { anyBuildPattern } from "../config/index-build";

/** The index can't be rebuilt. The message tells the operator what to do. */
export class CannotReindex extends Error {
  override name = "CannotReindex";
}

type Options = {
  databaseUrl: string;
  /** The public name of the index, a prefix of its build schemas. */
  schema: string;
  chainId: number;
  chain: Pick<PublicClient, "getBlock" | "getChainId">;
  /** Whether another chain now has the same id. Then the whole cache of the old one is deleted. */
  newChain?: boolean;
};

type Reindexed = {
  /** The newest cached block that is still canonical. Null if there is none. */
  keptBlock: bigint | null;
  deletedBlocks: number;
  droppedSchemas: string[];
};

/** A lock that has not been renewed for this long is stale. Same limit as in Ponder. */
const LOCK_TIMEOUT_MS = 25_000;

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#deep-reorg
 *
 * Resets an index after a reorg beyond finality: deletes orphaned blocks from the cache, in Ponder's own schema `ponder_sync`,
 * and drops the index. The next start rebuilds it from the cache and fetches only the missing blocks. Without it, Ponder builds the index from the orphaned
 * blocks of its cache, and stays ready while it retries.
 *
 * Test: test/system/readiness-reorg.test.ts "is true again after a rebuild from the cached blocks that are still on the chain"
 *
 * @example
 * await reindex({ databaseUrl, schema: "intentry", chainId: 8453, chain: createPublicClient({ transport: http(rpcUrl) }) });
 */
export async function reindex({ databaseUrl, schema, chainId, chain, newChain = false }: Options): Promise<Reindexed> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await requireChain(client, chain, chainId, newChain);
    const schemas = await indexSchemas(client, schema, chainId);
    await client.query("BEGIN");
    for (const name of schemas) await requireUnlocked(client, name);
    const keptBlock = newChain ? null : await forkPoint(client, chain, chainId);
    const deletedBlocks = await truncateCache(client, chainId, keptBlock);
    for (const name of schemas) await client.query(`DROP SCHEMA ${pg.escapeIdentifier(name)} CASCADE`);
    if (newChain) await forgetChain(client, chainId);
    await client.query("COMMIT");
    return { keptBlock, deletedBlocks, droppedSchemas: schemas };
  } finally {
    // Also rolls back an open transaction.
    await client.end();
  }
}

const exists = async (client: pg.Client, table: string) =>
  (await client.query<{ found: string | null }>("SELECT to_regclass($1)::text AS found", [table])).rows[0]?.found !=
  null;

/** Throws if the RPC serves another chain than the cached one. Comparing with the wrong chain would empty the cache. */
async function requireChain(
  client: pg.Client,
  chain: Options["chain"],
  chainId: number,
  newChain: boolean,
): Promise<void> {
  const found = await chain.getChainId();
  if (found !== chainId) throw new CannotReindex(`The RPC serves chain ${found} and not ${chainId}. Check RPC_URL.`);
  if (newChain || !(await exists(client, "offchain.chain"))) return;
  const { rows } = await client.query<{ genesis_hash: string }>(
    "SELECT genesis_hash FROM offchain.chain WHERE chain_id = $1",
    [chainId],
  );
  const recorded = rows[0]?.genesis_hash;
  const genesis = (await chain.getBlock({ blockNumber: 0n })).hash;
  if (recorded !== undefined && recorded !== genesis)
    throw new CannotReindex(
      `The chain's genesis block is ${genesis}, and that of the indexed chain is ${recorded}. Check RPC_URL. If the chain was replaced, add --new-chain to index the new one from its beginning.`,
    );
}

/** Deletes the recorded genesis hash of a chain and what its contracts said about themselves. Both are read again. */
export async function forgetChain(client: pg.Client, chainId: number): Promise<void> {
  for (const table of ["offchain.chain", "offchain.token"])
    if (await exists(client, table)) await client.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
}

/** The schemas that contain an index of this chain: the public schema and the build schemas. */
async function indexSchemas(client: pg.Client, schema: string, chainId: number): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT n.nspname AS name FROM pg_namespace n
     JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = '_ponder_checkpoint' AND c.relkind = 'r'
     WHERE n.nspname = $1 OR n.nspname ~ $2 ORDER BY 1`,
    [schema, anyBuildPattern(schema)],
  );
  const ofChain: string[] = [];
  for (const { name } of rows) {
    const table = `${pg.escapeIdentifier(name)}._ponder_checkpoint`;
    const others = await client.query(`SELECT 1 FROM ${table} WHERE chain_id <> $1`, [chainId]);
    if (others.rowCount === 0) ofChain.push(name);
  }
  return ofChain;
}

/** Throws while an indexer holds the lock. No indexer can acquire it until this transaction ends. */
async function requireUnlocked(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ is_locked: number; heartbeat_at: string }>(
    `SELECT (value->>'is_locked')::int AS is_locked, value->>'heartbeat_at' AS heartbeat_at
     FROM ${pg.escapeIdentifier(schema)}._ponder_meta WHERE key = 'app' FOR UPDATE`,
  );
  const [app] = rows;
  const renewedAgo = Date.now() - Number(app?.heartbeat_at ?? 0);
  if (app?.is_locked === 1 && renewedAgo < LOCK_TIMEOUT_MS)
    throw new CannotReindex(
      `An indexer holds the schema ${schema}. Stop it first; after a crash its lock expires within ${LOCK_TIMEOUT_MS / 1000} s.`,
    );
}

/** The newest canonical block in the cache. Binary search works, because all ancestors of a canonical block are canonical. */
async function forkPoint(client: pg.Client, chain: Options["chain"], chainId: number): Promise<bigint | null> {
  if (!(await exists(client, "ponder_sync.blocks"))) return null;
  const { rows } = await client.query<{ count: string }>(
    "SELECT count(*) FROM ponder_sync.blocks WHERE chain_id = $1",
    [chainId],
  );
  const at = async (place: number) => {
    const found = await client.query<{ number: string; hash: Hex }>(
      "SELECT number, hash FROM ponder_sync.blocks WHERE chain_id = $1 ORDER BY number LIMIT 1 OFFSET $2",
      [chainId, place],
    );
    const [block] = found.rows;
    if (!block)
      throw new CannotReindex("The cache changed during the read. Stop every indexer of this database, then retry.");
    return { number: BigInt(block.number), hash: block.hash };
  };
  /** Blocks before `low` are canonical, blocks from `high` on are orphaned. */
  let [low, high] = [0, Number(rows[0]?.count ?? 0)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = await at(middle);
    if ((await hashAt(chain, block.number)) === block.hash) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : (await at(low - 1)).number;
}

async function hashAt(chain: Options["chain"], blockNumber: bigint): Promise<Hex | null> {
  try {
    return (await chain.getBlock({ blockNumber })).hash;
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null;
    throw error;
  }
}

/** Deletes a chain's cache above a block, or all of it, and shrinks Ponder's cached intervals accordingly. */
async function truncateCache(client: pg.Client, chainId: number, keptBlock: bigint | null): Promise<number> {
  if (!(await exists(client, "ponder_sync.blocks"))) return 0;
  const kept = keptBlock ?? -1n;
  const { rows } = await client.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'ponder_sync' GROUP BY 1
     HAVING bool_or(column_name = 'chain_id') AND bool_or(column_name = 'block_number')`,
  );
  // A cached request without a block number may belong to an orphaned branch.
  for (const { table_name } of rows)
    await client.query(
      `DELETE FROM ponder_sync.${pg.escapeIdentifier(table_name)} WHERE chain_id = $1 AND (block_number > $2 OR block_number IS NULL)`,
      [chainId, kept],
    );
  const deleted = await client.query("DELETE FROM ponder_sync.blocks WHERE chain_id = $1 AND number > $2", [
    chainId,
    kept,
  ]);
  // Ponder stores the blocks a to b as the closed range [a, b + 1], and can read only closed ranges.
  await client.query(
    `UPDATE ponder_sync.intervals SET blocks = coalesce((
       SELECT range_agg(numrange(lower(range), least(upper(range), $2::numeric + 1), '[]'))
       FROM unnest(blocks) AS range WHERE lower(range) <= $2::numeric
     ), '{}') WHERE chain_id = $1`,
    [chainId, kept],
  );
  await client.query("DELETE FROM ponder_sync.intervals WHERE chain_id = $1 AND isempty(blocks)", [chainId]);
  return deleted.rowCount ?? 0;
}
