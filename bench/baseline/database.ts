import pg from "pg";

/** One pool for the index (by search_path) and the off-chain store (schema `offchain`). */
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  options: `-c search_path=${process.env.INDEX_SCHEMA}`,
  max: 20,
});

/** Runs a query. pg returns int8 and numeric columns as decimal strings, as the API serves them. */
export async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await pool.query<Row>(text, values);
  return rows;
}

/**
 * SQL for the current time in unix seconds: the later of the clock and the newest indexed block. A Ponder checkpoint starts
 * with the block's time in ten digits.
 */
export const NOW = `(SELECT greatest(
  floor(extract(epoch FROM now()))::int8,
  (SELECT left(max(latest_checkpoint), 10)::int8 FROM _ponder_checkpoint)
))`;

/** SQL for the number of the newest indexed block, which is in the checkpoint after the time and the chain id. */
export const INDEXED_BLOCK = "(SELECT substr(max(latest_checkpoint), 27, 16)::int8 FROM _ponder_checkpoint)";
