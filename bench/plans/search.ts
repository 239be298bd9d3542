import type pg from "pg";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { largeTables } from "../many-rows";
import { type LargeGateway, unused, withLargeGateway } from "./large-gateway";

const SCHEMA = "intentry_search";
const SEARCHED = new Set(["agent", "attestor", "merchant", "receipt", "service", "solver", "solver_activity", "total"]);

/** The metadata of the first records of each kind. All have the word "service", and few have a rare one. */
const metadataRows = (subject: string, table: string, uri: string, hash: string, rows: number) => `
  INSERT INTO offchain.resolved_metadata
    (chain_id, subject, subject_id, uri, hash, state, content_hash, content, name, description, tags, capabilities, is_remote, next_attempt_at)
  SELECT ${LOCAL_CHAIN_ID}, '${subject}', n, ${uri} || n, ${hash}, 'verified', '0x', '{}', 'Name ' || n,
    'A service of number ' || n || ' which ' || (ARRAY['translates','draws','forecasts','trades','counts'])[1 + n % 5],
    ARRAY['tag' || n % 1000], ARRAY['capability' || n % 100], false, NULL
  FROM generate_series(1, ${rows}) AS n LEFT JOIN ${table} ON true`;

async function fillMetadata(pool: pg.Pool, rows: number): Promise<void> {
  const share = Math.floor(rows / 4);
  await pool.query("ALTER TABLE offchain.resolved_metadata DISABLE TRIGGER USER");
  const noHash = "(SELECT 1) AS one";
  await pool.query(metadataRows("agent", noHash, "'ipfs://agent/'", "NULL", share));
  await pool.query(metadataRows("solver", noHash, "'ipfs://solver/'", "NULL", share));
  for (const [subject, key] of [
    ["merchant", "merchant_id"],
    ["service", "service_numeric_id"],
  ] as const)
    await pool.query(
      metadataRows(subject, `${subject} AS record`, `'ipfs://${subject}/'`, "record.metadata_hash", share).replace(
        "ON true",
        `ON record.${key} = n`,
      ),
    );
  await pool.query("ALTER TABLE offchain.resolved_metadata ENABLE TRIGGER USER");
  await pool.query("VACUUM ANALYZE offchain.resolved_metadata");
}

/** As many names as one request may ask for. */
const names = Array.from({ length: 200 }, (_, index) => `${index % 2 ? "merchant" : "service"}-${1 + 37 * index}`);

/** A rare and a common text, ids, prefixes, and every filter. The first one is the unit of the ratios. */
const searches = [
  "q=name 77",
  "q=tag77",
  "q=tag77&type=service&sort=price&no_disputes=true",
  // Words that are not complete.
  "q=tra",
  "q=name tag7",
  "q=translates",
  "q=service",
  "q=service&type=solver",
  "q=service&type=service&sort=price&no_disputes=true&active=true&min_fulfilled=1",
  "q=12345",
  "q=0xabcd",
  "q=0x0000",
  "min_fulfilled=5",
  "type=merchant&min_fulfilled=5",
  "type=attestor&min_fulfilled=5",
  // No attestor has as many.
  "type=attestor&min_fulfilled=2000000000",
  "capability_hash=",
  "type=agent",
  "type=agent&offset=100000",
  "type=service&active=true",
  `records=${names}`,
];

type Node = { "Node Type": string; "Relation Name"?: string; Plans?: Node[] };
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

type Plan = { Plan: Node; "Execution Time": number; "Planning Time": number };

const ROUNDS = 5;

/** The plan of a query whose time is the median. */
async function planOf(pool: pg.Pool, { text, parameters }: { text: string; parameters: unknown[] }): Promise<Plan> {
  const plans: Plan[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters);
    plans.push(rows[0]["QUERY PLAN"][0]);
  }
  plans.sort((one, other) => one["Execution Time"] - other["Execution Time"]);
  const [median] = plans.slice(Math.floor(ROUNDS / 2));
  if (!median) throw new Error("A query was not explained");
  return median;
}

/**
 * Prints the time and the rows of searches among many records with metadata. Returns those that scan a large table
 * sequentially.
 */
export async function planSearches(rows: number): Promise<string[]> {
  const problems: string[] = [];
  await withLargeGateway(
    {
      schema: SCHEMA,
      rowsOf: (table) => (SEARCHED.has(table) ? rows : 1_000),
      tokens: () => ({ find: unused, named: async () => [] }),
    },
    async (gateway) => {
      await fillMetadata(gateway.index.pool, rows);
      await checkAll(gateway, problems);
    },
  );
  return problems;
}

async function checkAll({ index, request }: LargeGateway, problems: string[]): Promise<void> {
  const { rows: common } = await index.pool.query(
    "SELECT capability_hash FROM service GROUP BY capability_hash ORDER BY count(*) DESC LIMIT 1",
  );
  let unit: number | undefined;
  for (const search of searches) {
    const query = new URLSearchParams(search);
    if (query.has("capability_hash")) query.set("capability_hash", common[0].capability_hash);
    const address = `/${query.has("records") ? "names" : "search"}?${query}`;
    let found = 0;
    const queries = await index.queriesOf(async () => {
      const response = await request(address);
      const body = (await response.json()) as { results?: unknown[]; names?: unknown[] };
      if (response.status !== 200) throw new Error(`${address}: ${JSON.stringify(body)}`);
      found = (body.results ?? body.names ?? []).length;
    });
    // The response's headers need the index head, which a gateway shares between requests.
    const sent = queries.filter(({ text }) => !text.includes("_ponder_checkpoint"));
    // The results are one query, and the exact matches at most two more.
    if (sent.length === 0 || sent.length > 3) throw new Error(`${address} needs ${sent.length} queries`);
    const plans: Plan[] = [];
    for (const query of sent) plans.push(await planOf(index.pool, query));
    const sumOf = (part: "Execution Time" | "Planning Time") => plans.reduce((sum, plan) => sum + plan[part], 0);
    const milliseconds = sumOf("Execution Time");
    unit ??= milliseconds;
    const scanned = plans
      .flatMap((plan) => nodesOf(plan.Plan))
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"] ?? "")
      .filter((table) => table === "resolved_metadata" || (largeTables.has(table) && SEARCHED.has(table)));
    const time = `${milliseconds.toFixed(1)} ms, ${(milliseconds / unit).toFixed(1)} times the first, planned in ${sumOf("Planning Time").toFixed(1)} ms`;
    console.log(`${search.slice(0, 80)}: ${found} results, ${time}${scanned.length > 0 ? `; scans ${scanned}` : ""}`);
    if (scanned.length > 0) problems.push(`sequential scan: ${search}`);
  }
}
