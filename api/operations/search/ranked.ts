import { count, type SQL, sql } from "drizzle-orm";
import { agent, attestor, facilitator, merchant, service, solver } from "../../../ponder.schema";
import { pagedList } from "../../core/list";
import type { Selectable } from "../../indexed/database";
import { metadataColumns } from "../../metadata/subjects";
import type { MetadataSubject } from "../../offchain/resolved-metadata";
import { metadataSubjects } from "../../offchain/tables";
import { candidates, type Mode } from "./candidates";
import { recordOfCandidate, recordsOf, type SearchedRecord } from "./records";

/** A record with its score, and its price for the order. */
export type Row = SearchedRecord & { score: string; price_key: string };

/** The filters of a search, after its text was parsed. */
export type Filters = {
  type?: MetadataSubject;
  words?: string;
  /** The words before the last one, and the letters of the last one, if it may be incomplete. */
  before?: string;
  letters?: string;
  /** Decimal digits. */
  number?: string;
  /** The kind of record that the text names before the number. */
  id_of?: MetadataSubject;
  /** 0x and hex digits. */
  digits?: string;
  active?: boolean;
  capability_hash?: string;
  min_fulfilled?: bigint;
  no_disputes?: boolean;
  max_price?: bigint;
  token?: string;
};

/** Sorts records without a price last: no amount is as large. */
const priceKey = sql`coalesce(price, ${sql.raw(String(2n ** 256n))})`;

/** More than any match: the records with the text as their name are first. */
const NAMED = sql.raw("100");

/**
 * The match, raised by fulfilled receipts or fills and lowered by disputes about them. Inactive records count half. Rounded,
 * because a cursor contains it.
 */
const score = sql`round((match * (1 + ln(1 + fulfilled) / 5) * (1 + fulfilled) / (1 + fulfilled + disputes)
  * CASE WHEN active THEN 1 ELSE 0.5 END)::numeric, 6) + CASE WHEN is_named THEN ${NAMED} ELSE 0 END`;

const fieldNames = Object.keys(recordsOf("agent").fields) as (keyof SearchedRecord)[];

const named = (name: string) => sql.identifier(name);

/** The conditions on the fields of a record. */
const conditions = (filters: Readonly<Record<string, unknown>>): (SQL | undefined)[] =>
  Object.entries(filters).map(([name, value]) => {
    switch (name) {
      case "active":
      case "capability_hash":
        return sql`${named(name)} = ${value}`;
      case "min_fulfilled":
        return sql`fulfilled >= ${value}::numeric`;
      case "no_disputes":
        return sql`(disputes = 0 OR NOT ${value}::boolean)`;
      case "max_price":
        return sql`price <= ${value}::numeric`;
      case "token":
        return sql`price_token = ${value}`;
      default:
        return undefined;
    }
  });

const byRelevance = [
  { column: sql`score`, descending: true, of: (row: Row) => row.score },
  { column: sql`type`, of: (row: Row) => row.type },
  { column: sql`id`, of: (row: Row) => row.id },
];

const byPrice = [{ column: sql`price_key`, of: (row: Row) => row.price_key }, ...byRelevance];

/**
 * Candidates with their records, as a table. Metadata that the chain has replaced since finds nothing. `OFFSET 0` makes
 * PostgreSQL read the totals of a record once, and not for each use of their sum.
 */
const rankedTable = (mode: Mode, type: MetadataSubject | undefined, idOf: MetadataSubject | undefined) => sql`(
  SELECT *, ${score} AS score, ${priceKey} AS price_key
  FROM (
    SELECT record.*, candidate.match, candidate.is_named
    FROM (${candidates(mode, type, idOf)}) AS candidate
    CROSS JOIN LATERAL (${recordOfCandidate(type ? [type] : metadataSubjects)}) AS record
    WHERE NOT candidate.is_text OR record.metadata_state IS NOT NULL
    OFFSET 0
  ) AS found
) AS ranked`;

/** A kind of search. Without a mode, all records of a type are listed. */
type Kind = {
  mode: Mode | undefined;
  type: MetadataSubject | undefined;
  idOf: MetadataSubject | undefined;
};

/** A list of the candidates that a mode finds. */
function rankedList(route: string, { mode, type, idOf }: Kind & { mode: Mode }) {
  const table = rankedTable(mode, type, idOf);
  const fields = Object.fromEntries([...fieldNames, "score", "price_key"].map((name) => [name, sql`${named(name)}`]));
  return pagedList<Record<string, unknown>, Row>(route, [
    {
      query: (db: Selectable) => db.select(fields).from(table).$dynamic() as never,
      rows: (db: Selectable) => db.select({ total: count() }).from(table).$dynamic() as never,
      where: conditions,
      orders: { relevance: byRelevance, price: byPrice } as never,
    },
  ]);
}

const tables = { agent, merchant, service, facilitator, solver, attestor } as const;

const activeColumns = {
  agent: sql`NOT ${agent.revoked}`,
  merchant: sql`${merchant.active}`,
  service: sql`${service.active}`,
  facilitator: sql`${facilitator.active}`,
  solver: sql`${solver.active}`,
  attestor: sql`${attestor.active}`,
};

/** A list of all records of a type, by id. */
function wholeList(route: string, type: MetadataSubject) {
  const { fields, from } = recordsOf(type);
  const selected = { ...fields, score: sql`0`, price_key: sql`0` };
  return pagedList<Record<string, unknown>, Row>(route, [
    {
      query: (db: Selectable) => db.select(selected).from(from).$dynamic() as never,
      rows: tables[type],
      where: ({ active }) => [active === undefined ? undefined : sql`${activeColumns[type]} = ${active}`],
      // All records are equally relevant.
      orders: { relevance: [{ column: metadataColumns[type].id, of: (row: Row) => row.id }] } as never,
    },
  ]);
}

type List = ReturnType<typeof wholeList>;

const lists = new Map<string, List>();

/** The list for a kind of search. Each has queries of its own, which are prepared once. */
export function listFor(route: string, kind: Kind): List {
  const { mode, type, idOf } = kind;
  const key = `${mode} ${type} ${idOf}`;
  let list = lists.get(key);
  if (!list) {
    list = mode === undefined ? wholeList(route, type ?? "agent") : rankedList(route, { ...kind, mode });
    lists.set(key, list);
  }
  return list;
}
