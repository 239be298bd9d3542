import { createHash } from "node:crypto";
import type { Address } from "viem";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import type { ListedToken } from "../../config/token-list";
import { hex, NOW } from "../row-values";
import { type LargeGateway, unused, withLargeGateway } from "./large-gateway";
import { planOf, queriesOf } from "./lists";

const SCHEMA = "intentry_trust";

/** The listed tokens: more than half of the 50 tokens of the generated rows. */
const LISTED = 30;
const HOURS = 1_000;

/** Records with one name. A verdict reads 100 of them. */
const SAME_NAME = 500;

/** The most rows that one verdict or reputation may read: hours, attestations, payments and look-alikes with their prices. */
const MAX_ROWS = 8_000;

/** A generated token, as `hex` in ../row-values.ts. */
const tokenAddress = (number: number): Address => {
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  return `0x${(md5(`token${number}`) + md5(`more token${number}`)).slice(0, 40)}`;
};

const token = tokenAddress(1);

const listed = new Map(
  Array.from({ length: LISTED }, (_, index): [Address, ListedToken] => {
    const address = tokenAddress(index + 1);
    const symbol = `T${index + 1}`;
    return [address, { address, symbol, name: symbol, decimals: 6, logo: null, stablecoin: false, feeds: [] }];
  }),
);

/** A price of every listed token in every hour, many equal names, and many attestations about one address. */
async function fill({ index: { pool }, store }: LargeGateway, rows: number): Promise<void> {
  await store();
  const hour = `${NOW} - ${NOW} % 3600 - 3600 * h`;
  for (const table of ["token_price", "resolved_metadata"])
    await pool.query(`ALTER TABLE offchain.${table} DISABLE TRIGGER USER`);
  await pool.query(
    `INSERT INTO offchain.token_price (chain_id, address, hour, price, unit_price)
     SELECT ${LOCAL_CHAIN_ID}, ${hex(40, "token", "n")}, ${hour}, 2, 0.000002
     FROM generate_series(1, ${LISTED}) AS n, generate_series(0, ${HOURS}) AS h`,
  );
  await pool.query(
    `INSERT INTO offchain.resolved_metadata (chain_id, subject, subject_id, uri, hash, state, name, is_remote)
     SELECT ${LOCAL_CHAIN_ID}, 'merchant', merchant_id, metadata_uri, metadata_hash, 'verified',
       'Shop ' || div(merchant_id, ${SAME_NAME}), false FROM merchant`,
  );
  await pool.query(
    `UPDATE attestation SET subject = '0x' || lpad(substr((SELECT owner FROM agent WHERE agent_id = 1), 3), 64, '0')
     WHERE attestation_id <= ${Math.min(rows, 20_000)}`,
  );
  for (const table of ["offchain.token_price", "offchain.resolved_metadata", "attestation"])
    await pool.query(`VACUUM ANALYZE ${table}`);
}

const payment = `?amount=5000000&token=${token}`;

const addresses = (rows: number, owner: string) => [
  ...["/agents/1/reputation", `/agents/${rows}/reputation`, "/merchants/1/reputation", `/merchants/${rows}/reputation`],
  ...["merchant", "service", "agent", "solver", "facilitator"].flatMap((kind) => [
    `/trust/${kind}/1`,
    `/trust/${kind}/1${payment}`,
    `/trust/${kind}/${Math.floor(rows * 0.9)}${payment}`,
  ]),
  `/trust/agent/${owner}${payment}`,
];

/** Prints the plans of reputations and verdicts. Returns those with a sequential scan of a large table, or too many rows. */
export async function planTrust(rows: number): Promise<string[]> {
  const problems: string[] = [];
  const tokens = { find: unused, named: unused };
  await withLargeGateway({ schema: SCHEMA, rowsOf: () => rows, tokens: () => tokens, listed }, async (gateway) => {
    await fill(gateway, rows);
    const { index, request } = gateway;
    const { rows: owners } = await index.pool.query<{ owner: string }>(
      "SELECT owner FROM agent GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
    );
    for (const address of addresses(rows, owners[0]?.owner ?? "")) {
      const queries = await queriesOf(index, async () => {
        const response = await request(address);
        if (response.status !== 200) throw new Error(`${address}: ${response.status} ${await response.text()}`);
      });
      for (const query of queries) {
        const { nodes, scanned, rowsRead, milliseconds } = await planOf(index, query);
        const line = `${address}: ${nodes}; ${rowsRead} rows, ${milliseconds.toFixed(1)} ms`;
        console.log(line);
        if (scanned.length > 0) problems.push(`sequential scan of ${scanned}: ${line}`);
        else if (rowsRead > MAX_ROWS) problems.push(`too many rows read: ${line}`);
      }
    }
  });
  return problems;
}
