import pg from "pg";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { anyBuildPattern } from "../config/index-build";

/** The index can't be rebuilt; the message says what to do. */
export class CannotReindex extends Error {
  override name = "CannotReindex";
}

type Options = {
  databaseUrl: string;
  /** The public name of the index, with which the schemas of its builds begin. */
  schema: string;
  chainId: number;
  chain: Pick<PublicClient, "getBlock" | "getChainId">;
  /** Whether the chain was replaced by another one under the same id: then nothing of the old one is kept. */
  newChain?: boolean;
};

/** What was done. */
type Reindexed = {
  /** The newest cached block that is still on the chain; null when none is. */
  keptBlock: bigint | null;
  /** How many cached blocks were deleted. */
  deletedBlocks: number;
  droppedSchemas: string[];
};

/** As Ponder has it: an indexer that has not renewed its lock for this long is gone. */
const LOCK_TIMEOUT_MS = 25_000;

/**
 * Rebuilds an index after a reorg that the indexer can't revert: deletes the cached blocks that are no longer on the
 * chain, and drops the index. The next start indexes the rest from the cache and asks the chain only for what is new.
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
    const deletedBlocks = await cutCache(client, chainId, keptBlock);
    for (const name of schemas) await client.query(`DROP SCHEMA ${pg.escapeIdentifier(name)} CASCADE`);
    if (newChain) await forgetGenesis(client, chainId);
    await client.query("COMMIT");
    return { keptBlock, deletedBlocks, droppedSchemas: schemas };
  } finally {
    // Ends an open transaction too.
    await client.end();
  }
}

const exists = async (client: pg.Client, table: string) =>
  (await client.query<{ found: string | null }>("SELECT to_regclass($1)::text AS found", [table])).rows[0]?.found !=
  null;

/** Refuses to compare the cache with another chain than the one that it is of: that would empty it. */
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

/** Forgets by which genesis block a chain is known; the next one that is seen is recorded. */
export async function forgetGenesis(client: pg.Client, chainId: number): Promise<void> {
  if (await exists(client, "offchain.chain"))
    await client.query("DELETE FROM offchain.chain WHERE chain_id = $1", [chainId]);
}

/** The schemas that hold an index of this chain: the one of this name, and those of builds, which begin with it. */
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

/** Refuses while an indexer writes the schema; its lock can't be taken until this transaction ends. */
async function requireUnlocked(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ is_locked: number; heartbeat_at: string }>(
    `SELECT (value->>'is_locked')::int AS is_locked, value->>'heartbeat_at' AS heartbeat_at
     FROM ${pg.escapeIdentifier(schema)}._ponder_meta WHERE key = 'app' FOR UPDATE`,
  );
  const [app] = rows;
  const renewedAgo = Date.now() - Number(app?.heartbeat_at ?? 0);
  if (app?.is_locked === 1 && renewedAgo < LOCK_TIMEOUT_MS)
    throw new CannotReindex(
      `An indexer holds the schema ${schema}. Stop it first; after a crash its lock lapses within ${LOCK_TIMEOUT_MS / 1000} s.`,
    );
}

/** The newest cached block that is on the chain, by binary search: if a block is, so are all before it. */
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
      throw new CannotReindex("The cache changed while it was read. Stop every indexer of this database first.");
    return { number: BigInt(block.number), hash: block.hash };
  };
  /** Everything before `low` is on the chain, everything from `high` on is not. */
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

/** Deletes what is cached of a chain above a block, or all of it, and the note that it was cached. */
async function cutCache(client: pg.Client, chainId: number, keptBlock: bigint | null): Promise<number> {
  if (!(await exists(client, "ponder_sync.blocks"))) return 0;
  const kept = keptBlock ?? -1n;
  const { rows } = await client.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'ponder_sync' GROUP BY 1
     HAVING bool_or(column_name = 'chain_id') AND bool_or(column_name = 'block_number')`,
  );
  // A cached request without a block number is of no known branch.
  for (const { table_name } of rows)
    await client.query(
      `DELETE FROM ponder_sync.${pg.escapeIdentifier(table_name)} WHERE chain_id = $1 AND (block_number > $2 OR block_number IS NULL)`,
      [chainId, kept],
    );
  const deleted = await client.query("DELETE FROM ponder_sync.blocks WHERE chain_id = $1 AND number > $2", [
    chainId,
    kept,
  ]);
  // Ponder writes the blocks from a to b as the range from a to b + 1, both included, and reads no other kind of range.
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
