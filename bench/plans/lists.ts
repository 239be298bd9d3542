import { calls } from "../../api/operations/index";
import { nativeOf } from "../../api/tokens/lists";
import { createTokens } from "../../api/tokens/tokens";
import { routeOf } from "../../api/transports/rest/route";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import {
  addressOf,
  type Item,
  type List,
  lists,
  type Pagination,
  type Parameters,
} from "../../test/support/lists/asking";
import type { RecordedIndex, RecordedQuery } from "../../test/support/recorded-index";
import { largeTables } from "../many-rows";
import { NOW } from "../row-values";
import { type LargeGateway, unused, withLargeGateway } from "./large-gateway";

const SCHEMA = "intentry_plans";
const LIMIT = 50;

/**
 * The maximum number of rows that a page may read. Without a filter, an index provides the order, so a page reads its own
 * rows and the joined ones. With one filter, PostgreSQL may choose to filter another index's rows, up to a limit. With two
 * filters, the number depends on their overlap.
 */
const rowsAllowed = (filters: number, rows: number) => [100 * LIMIT, rows / 8][filters] ?? rows;

/** A plan node in EXPLAIN's JSON output. */
type Node = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Node[];
};

type Plan = {
  nodes: string;
  /** The large tables with a sequential scan. */
  scanned: string[];
  rowsRead: number;
  milliseconds: number;
};

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const isScan = (node: Node) => node["Relation Name"] !== undefined || node["Node Type"] === "Bitmap Index Scan";

const named = (node: Node) => {
  const on = node["Index Name"] ?? node["Relation Name"];
  return on ? `${node["Node Type"]} (${on})` : node["Node Type"];
};

export async function planOf({ pool }: RecordedIndex, { text, parameters }: RecordedQuery): Promise<Plan> {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters);
  const [{ Plan: root, "Execution Time": milliseconds }] = rows[0]["QUERY PLAN"] as [
    { Plan: Node; "Execution Time": number },
  ];
  const nodes = nodesOf(root);
  const rowsOf = (node: Node) =>
    ((node["Actual Rows"] ?? 0) +
      (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0)) *
    (node["Actual Loops"] ?? 1);
  return {
    nodes: nodes
      .filter((node) => node["Node Type"] !== "Limit")
      .map(named)
      .join(", "),
    scanned: nodes
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"] ?? "")
      .filter((table) => largeTables.has(table)),
    rowsRead: Math.round(nodes.filter(isScan).reduce((total, node) => total + rowsOf(node), 0)),
    milliseconds,
  };
}

/** The queries of a request, without those of the index's head, which is read again from time to time. */
export const queriesOf = async (index: RecordedIndex, request: () => Promise<unknown>): Promise<RecordedQuery[]> =>
  (await index.queriesOf(request)).filter(({ text }) => !text.includes("_ponder_checkpoint"));

/** The table of each list, from which filter values are chosen. */
const tableOf: Readonly<Record<string, string>> = {
  "agents.list": "agent",
  "intents.list": "intent",
  "bids.list": "bid",
  "bids.all": "bid",
  "fills.list": "fill",
  "accounts.policies": "policy",
  "attestations.list": "attestation",
  "solvers.list": "solver",
  "attestors.list": "attestor",
  "merchants.list": "merchant",
  "services.list": "service",
  "facilitators.list": "facilitator",
  "quotes.list": "quote",
  "receipts.list": "receipt",
  "settlements.list": "settlement",
  "disputes.list": "dispute",
  "trustSignals.list": "trust_signal",
};

/** The columns of filters with other names, of all lists or of one. */
const columns: Readonly<Record<string, string>> = {
  schema: "schema_hash",
  id: "intent_id",
  address: "account",
  "receipts.list service_id": "service_numeric_id",
  "fills.list token": "input_token",
};

/** Filters with the values to try, because they derive from the time or from several columns. */
const derived: Readonly<Record<string, string[]>> = {
  "intents.list status": ["open", "filled", "expired"],
  "bids.list status": ["open", "selected", "rejected", "expired"],
  "bids.all status": ["open", "selected", "rejected", "expired"],
  fulfilled: ["true", "false"],
};

/** A time in the middle of the rows, and one that has few rows after it. There is a row every 30 s. */
const timesOf = (rows: number) => [String(NOW - BigInt(15 * rows)), String(NOW - 3_600n)];

/** Filters whose rows PostgreSQL may count by a scan: ranges of time, and one that most rows match. */
const countedByScan = new Set(["from", "to", "fulfilled"]);

/** Values for a filter: the most common one and a rare one. */
async function valuesOf({ pool }: RecordedIndex, { name }: List, filter: string, allRows: number): Promise<string[]> {
  if (filter === "from" || filter === "to") return timesOf(allRows);
  const listed = derived[`${name} ${filter}`] ?? derived[filter];
  if (listed) return listed;
  const column = `"${columns[`${name} ${filter}`] ?? columns[filter] ?? filter}"`;
  const { rows } = await pool.query<{ value: string }>(
    `SELECT ${column}::text AS value FROM "${tableOf[name]}" GROUP BY 1 ORDER BY count(*) DESC, 1`,
  );
  const values = rows.map(({ value }) => value);
  return [...new Set([values[0], values[Math.floor(values.length * 0.9)]])].filter((value) => value !== undefined);
}

/** No filter, each filter alone, and all pairs, each with every value. */
function filterSets(list: List, values: ReadonlyMap<string, string[]>): Parameters[] {
  const singles = list.filters.map((filter) => (values.get(filter) ?? []).map((value) => ({ [filter]: value })));
  const pairs = singles.flatMap((ones, index) =>
    singles.slice(index + 1).flatMap((others) => ones.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
  );
  const none = list.name === "attestations.list" ? [] : [{}];
  const isRange = ({ from = "", to = from }: Parameters) => from <= to;
  // The status of a bid depends on its intent.
  const isAccepted = (filters: Parameters) =>
    list.name !== "bids.all" || !("status" in filters) || "solver" in filters || "intent_id" in filters;
  return [...none, ...singles.flat(), ...pairs.filter(isRange)].filter(isAccepted);
}

/** The other orders of a list, each without a filter and with every single one. */
function sortedSets(list: List, values: ReadonlyMap<string, string[]>): Parameters[] {
  const required = list.filters.includes("token") ? "token" : undefined;
  return list.sorts.slice(1).flatMap((sort) =>
    filterSets({ ...list, sorts: [] }, values)
      .filter((filters) => Object.keys(filters).length < 2)
      .filter((filters) => sort !== "amount" || (required !== undefined && required in filters))
      .map((filters) => ({ ...filters, sort })),
  );
}

/** The filters that limit which index has the order. An order by another column than the id needs an index with each filter. */
const filtersOf = ({ sort, ...filters }: Parameters) =>
  Object.keys(filters).length + (sort === "deadline" && Object.keys(filters).length > 0 ? 1 : 0);

/** Texts with exact matches in a search: ids, names, and hashes, some with many rows. */
async function searchedTexts({ pool }: RecordedIndex): Promise<string[]> {
  const common = [
    ["intent", "intent_hash"],
    ["quote", "quote_hash"],
    ["settlement", "execution_hash"],
    ["settlement", "settlement_plan_hash"],
    ["settlement", "quote_hash"],
    ["attestation", "subject"],
    ["attestation", "schema_hash"],
    ["event_log", "tx_hash"],
  ] as const;
  const hashes: string[] = [];
  for (const [table, column] of common) {
    const { rows } = await pool.query<{ value: string }>(
      `SELECT ${column} AS value FROM ${table} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
    );
    hashes.push(...rows.map(({ value }) => value));
  }
  return ["5", "intent 5", "solver_reputation", `0x${"ab".repeat(32)}`, ...hashes];
}

const formatFilters = (filters: Parameters) =>
  Object.entries(filters)
    .map(([filter, value]) => ` ${filter}=${value.slice(0, 10)}`)
    .join("");

/**
 * Prints the query plans of all reads, on an index with this many rows in each table: one line for each list, set of filters
 * and page, and for each other operation. Returns the pages that need a sequential scan of a large table, or read far more
 * rows than they return.
 */
export async function planLists(rows: number): Promise<string[]> {
  const problems: string[] = [];
  await withLargeGateway(
    {
      schema: SCHEMA,
      rowsOf: () => rows,
      tokens: (store) =>
        createTokens({
          chainId: LOCAL_CHAIN_ID,
          listed: new Map(),
          native: nativeOf(LOCAL_CHAIN_ID),
          read: unused,
          store,
          onError: console.error,
        }),
    },
    (gateway) => checkAll(gateway, rows, problems),
  );
  return problems;
}

async function checkAll({ index, request }: LargeGateway, allRows: number, problems: string[]): Promise<void> {
  /** Prints a plan. Records a problem if it scans large tables sequentially or reads more rows than allowed. */
  const check = (what: string, plan: Plan, allowed: { scans?: number; rows?: number } = {}) => {
    const { nodes, scanned, rowsRead, milliseconds } = plan;
    const line = `${what}: ${nodes}; ${rowsRead} rows, ${milliseconds.toFixed(1)} ms`;
    console.log(line);
    if (scanned.length > (allowed.scans ?? 0)) problems.push(`sequential scan: ${line}`);
    else if (rowsRead > (allowed.rows ?? Number.POSITIVE_INFINITY)) problems.push(`too many rows read: ${line}`);
  };
  const get = async (list: List, parameters: Parameters): Promise<Pagination> => {
    const address = addressOf(list.path, parameters);
    const response = await request(address);
    const body = (await response.json()) as Item & { pagination: Pagination };
    if (response.status !== 200) throw new Error(`${address}: ${JSON.stringify(body)}`);
    return body.pagination;
  };

  const listNames = new Set(lists.map(({ name }) => name));
  for (const { name, operation } of calls) {
    const { method, path } = routeOf(operation);
    if (listNames.has(name) || name.startsWith("status.") || method !== "GET") continue;
    const parameters = Object.fromEntries(
      Object.entries(operation.example).map(([key, value]) => [key, String(value)]),
    );
    const queries = await queriesOf(index, () => request(addressOf(path, parameters)));
    for (const query of queries) check(path, await planOf(index, query), { rows: rowsAllowed(0, allRows) });
  }
  for (const q of await searchedTexts(index)) {
    const queries = await queriesOf(index, () => request(addressOf("/search", { q })));
    for (const query of queries) check(`/search q=${q}`, await planOf(index, query), { rows: rowsAllowed(0, allRows) });
  }
  for (const list of lists) {
    const values = new Map<string, string[]>();
    for (const filter of [...list.required, ...list.filters])
      values.set(filter, await valuesOf(index, list, filter, allRows));
    const required = Object.fromEntries(list.required.map((filter) => [filter, values.get(filter)?.[0] ?? ""]));
    for (const filters of [...filterSets(list, values), ...sortedSets(list, values)]) {
      const parameters = { ...required, ...filters };
      let total = 0;
      const [page, counting] = await queriesOf(index, async () => {
        const pagination = await get(list, { ...parameters, limit: String(LIMIT), total: "true" });
        total = pagination.total ?? 0;
      });
      if (!page || !counting) throw new Error(`Expected a page query and a count query from ${list.path}`);
      const title = `${list.path}${formatFilters(filters)}`;
      // A filter within what a list requires, such as an intent, is another one.
      const rows = rowsAllowed(Object.keys(filters).length === 0 ? 0 : filtersOf(parameters), allRows);
      check(`${title} [first page]`, await planOf(index, page), { rows });

      const deep = Math.floor(total * 0.9);
      const { next_cursor } = await get(list, { ...parameters, limit: "1", offset: String(deep) });
      if (next_cursor) {
        const [query] = await queriesOf(index, () =>
          get(list, { ...parameters, limit: String(LIMIT), cursor: next_cursor }),
        );
        if (query) check(`${title} [after ${deep}]`, await planOf(index, query), { rows });
      }

      // A count may scan the table, except with exactly one filter: nearly every filter has an index.
      const [only = "", ...others] = Object.keys(parameters).filter((parameter) => parameter !== "sort");
      const scans = others.length === 0 && only !== "" && !countedByScan.has(only) ? 0 : 1;
      check(`${title} [count of ${total}]`, await planOf(index, counting), { scans });
    }
  }
}
