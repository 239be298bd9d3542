import type pg from "pg";

/**
 * Tables of the store that a backup omits:
 * - `chain_head` has the lease of a running process and the block that it saw last. Each process publishes it again within a
 *   second, and an old lease would only delay the next one.
 * - `write_count` counts the writes of the current minute. It has expired before anyone could restore it.
 * - `published_settings` has the settings of an indexer. It publishes them at its start, and they belong to its environment.
 * - `token` has what contracts say about themselves. It is read again when it is needed.
 * - `index_reader` has the running gateways.
 * - `metadata_feed` has the lease of a running process. It reads the event log again from the start, which changes nothing.
 * - `migration` is created by the migrations. The header has its content.
 *
 * All other tables are included, also ones of later versions. Payments with an expired lease are included: without them a
 * payment could be used twice. So are the counters of stored bytes, which apply to the whole day, and the key of cursors.
 */
const OMITTED = [
  "chain_head",
  "write_count",
  "published_settings",
  "token",
  "index_reader",
  "metadata_feed",
  "migration",
];

/**
 * Tables that a new store may have rows in: the revision, the key of cursors, the genesis blocks of indexed chains and their
 * records' metadata.
 */
const SELF_FILLED = ["revision", "secret", "chain", "resolved_metadata"];

/** The tables of the store that a backup contains, by name. */
export async function storedTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class WHERE relnamespace = to_regnamespace('offchain') AND relkind = 'r'
     AND relname <> ALL ($1::text[]) ORDER BY relname`,
    [OMITTED],
  );
  return rows.map(({ name }) => name);
}

/** The columns of a table that COPY can write, in order. */
export async function columnsOf(client: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
     AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** The sequences that fill columns of a table. */
export async function sequencesOf(
  client: pg.ClientBase,
  table: string,
): Promise<{ column: string; sequence: string }[]> {
  const { rows } = await client.query<{ column: string; sequence: string }>(
    `SELECT attname::text AS column, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
     AND pg_get_serial_sequence($1, attname) IS NOT NULL ORDER BY attnum`,
    [table],
  );
  return rows;
}

/** The number of rows that clients have stored. A new store has none, although migrations insert the built-in schemas. */
export async function countStored(client: pg.ClientBase): Promise<number> {
  let count = 0;
  for (const name of await storedTables(client)) {
    if (SELF_FILLED.includes(name)) continue;
    const filter = name === "attestation_schema" ? "WHERE NOT builtin" : "";
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM offchain."${name}" ${filter}`);
    count += Number(rows[0]?.count ?? 0);
  }
  return count;
}
