import { Router } from "express";
import { query } from "./database";
import { chainId } from "./deployment";
import { address, flag, HttpError, hash, id, oneOf, optional } from "./input";
import { readPage } from "./list";

/** Names and search, over the metadata that the gateway has read. */
export const search = Router();

const ZERO_HASH = `0x${"00".repeat(32)}`;

const countOf = (column: string, subject: string, key: string) =>
  `coalesce((SELECT ${column} FROM total WHERE subject = '${subject}' AND key = ${key}), 0)`;

const disputesOf = (subject: string, key: string) =>
  `${countOf("count", subject, `${key} || '-OPEN'`)} + ${countOf("count", subject, `${key} || '-RESOLVED'`)}`;

type Columns = {
  id: string;
  active?: string;
  address?: string;
  capability_hash?: string;
  merchant_id?: string;
  service_id?: string;
  metadata_hash?: string;
  fulfilled?: string;
  disputes?: string;
  price?: string;
  price_token?: string;
};

/** The columns of each kind of record. */
const kinds: Record<string, { table: string; columns: Columns }> = {
  agent: {
    table: "agent",
    columns: { id: "agent_id", active: "NOT revoked", address: "owner", capability_hash: "capabilities_hash" },
  },
  merchant: {
    table: "merchant",
    columns: {
      id: "merchant_id",
      address: "owner",
      metadata_hash: "metadata_hash",
      fulfilled: countOf("fulfilled", "receipts_by_merchant", "merchant_id::text"),
      disputes: disputesOf("disputes_by_merchant", "merchant_id::text"),
    },
  },
  service: {
    table: `service LEFT JOIN LATERAL (
      SELECT amount, token FROM receipt WHERE receipt.service_numeric_id = service.service_numeric_id
      ORDER BY receipt_id DESC LIMIT 1
    ) AS paid ON true`,
    columns: {
      id: "service_numeric_id",
      capability_hash: "capability_hash",
      merchant_id: "merchant_id",
      service_id: "left(service_id, 160)",
      metadata_hash: "metadata_hash",
      fulfilled: countOf("fulfilled", "receipts_by_service", "service_numeric_id::text"),
      disputes: disputesOf("disputes_by_service", "service_numeric_id::text"),
      price: "paid.amount",
      price_token: "paid.token",
    },
  },
  facilitator: {
    table: "facilitator",
    columns: {
      id: "facilitator_id",
      address: "facilitator",
      metadata_hash: "metadata_hash",
      fulfilled: countOf("count", "receipts_by_facilitator", "facilitator"),
    },
  },
  solver: {
    table: "solver LEFT JOIN solver_activity ON solver_activity.solver = solver.operator",
    columns: {
      id: "solver_id",
      address: "operator",
      capability_hash: "capabilities_hash",
      fulfilled: "coalesce(solver_activity.fills, 0)",
    },
  },
  attestor: {
    table: "attestor",
    columns: {
      id: "attestor_id",
      address: "operator",
      fulfilled: countOf("count", "attestations_by_attester", "operator"),
    },
  },
};

const kindNames = Object.keys(kinds);

const recordsOf = (kind: string) => {
  const { table, columns } = kinds[kind] ?? { table: "", columns: { id: "" } };
  return `SELECT '${kind}'::text AS type, ${columns.id} AS id, ${columns.active ?? "active"} AS active,
    ${columns.address ?? "NULL::text"} AS address, ${columns.capability_hash ?? "NULL::text"} AS capability_hash,
    ${columns.merchant_id ?? "NULL::numeric"} AS merchant_id, ${columns.service_id ?? "NULL::text"} AS service_id,
    metadata_uri, ${columns.metadata_hash ?? `'${ZERO_HASH}'`} AS metadata_hash, ${columns.fulfilled ?? 0} AS fulfilled,
    ${columns.disputes ?? 0} AS disputes, ${columns.price ?? "NULL::numeric"} AS price,
    ${columns.price_token ?? "NULL::text"} AS price_token FROM ${table}`;
};

/** Records with their metadata, unless the chain has another URI or hash meanwhile. */
const withMetadata = (selected: readonly string[]) => `(${selected.map(recordsOf).join(" UNION ALL ")}) r
  LEFT JOIN offchain.resolved_metadata m ON m.chain_id = ${chainId} AND m.subject = r.type AND m.subject_id = r.id
    AND m.uri = r.metadata_uri AND m.hash IS NOT DISTINCT FROM nullif(r.metadata_hash, '${ZERO_HASH}')`;

const MAX_NAMES = 200;

search.get("/names", async (req, res) => {
  const sent = String(req.query.records ?? "").split(",");
  const keys = sent.map((text) => {
    const [type = "", digits, ...rest] = text.trim().toLowerCase().split("-");
    if (!kindNames.includes(type) || rest.length > 0)
      throw new HttpError(400, "records: must be records as <type>-<id>, separated by commas");
    return { type, id: id("records", digits) };
  });
  if (keys.length > MAX_NAMES) throw new HttpError(400, `records: must be at most ${MAX_NAMES}`);
  const names = await query(
    `SELECT r.type, r.id, m.name, m.state AS metadata_state FROM ${withMetadata(kindNames)}
     WHERE (r.type, r.id) IN (SELECT * FROM unnest($1::text[], $2::numeric[])) AND m.name IS NOT NULL
     ORDER BY r.type, r.id`,
    [keys.map(({ type }) => type), keys.map((key) => key.id)],
  );
  res.json({ names });
});

const WORDS = "(websearch_to_tsquery('english', $1) || websearch_to_tsquery('simple', $1))";
const WORDS_MATCH = `CASE WHEN numnode(${WORDS}) > 0 AND m.search @@ ${WORDS}
  THEN ts_rank('{0, 0.2, 0.5, 1}', m.search, ${WORDS})::float8 + (lower(m.name) IS NOT DISTINCT FROM lower($1))::int END`;

const startsWith = (column: string) =>
  `CASE WHEN ${column} = $1 THEN 3 WHEN starts_with(${column}, $1) THEN 1 END::float8`;

/** SQL for how well a record matches; null if it does not. `$1` is the text. */
function matchOf(text: string, capability: string | undefined): string {
  if (text === "") return capability ? "1::float8" : "CASE WHEN r.type <> 'agent' THEN 1::float8 END";
  if (/^0x[0-9a-f]{4,64}$/i.test(text))
    return `greatest(${["r.address", "r.capability_hash", "m.hash"].map(startsWith).join(", ")})`;
  if (/^\d{1,78}$/.test(text)) return `greatest(${WORDS_MATCH}, CASE WHEN r.id = $1::numeric THEN 3::float8 END)`;
  return WORDS_MATCH;
}

const SCORE = `round((match * (1 + ln(1 + fulfilled) / 5) * (1 + fulfilled) / (1 + fulfilled + disputes)
  * CASE WHEN active THEN 1 ELSE 0.5 END)::numeric, 6)`;

type Found = Record<string, unknown> & { tags: string[] | null; capabilities: string[] | null };

search.get("/search", async (req, res) => {
  const q = String(req.query.q ?? "").trim();
  if (q.length > 200) throw new HttpError(400, "q: must have at most 200 characters");
  const type = optional(oneOf(...kindNames), "type", req.query);
  const active = optional(flag, "active", req.query);
  const capability = optional(hash, "capability_hash", req.query);
  const fulfilled = optional(id, "min_fulfilled", req.query);
  const noDisputes = optional(flag, "no_disputes", req.query);
  const maxPrice = optional(id, "max_price", req.query);
  const token = optional(address, "token", req.query);
  const isByPrice = optional(oneOf("relevance", "price"), "sort", req.query) === "price";
  const isPriced = maxPrice !== undefined || token !== undefined || isByPrice;
  const isWhole = q === "" && !capability && !Number(fulfilled ?? 0);
  if ((isPriced && type !== "service") || (isWhole && (!type || isPriced || noDisputes)))
    throw new HttpError(400, "q: is required, or a type, a capability_hash or min_fulfilled");

  // A negation alone would match every record.
  const text = q.startsWith("0x") ? q.toLowerCase() : q.replace(/[<>]/g, " ").replace(/(^|[\s"(])-+/g, "$1");
  const match = isWhole ? "0::float8" : matchOf(q, capability);
  const { rows, pagination } = await readPage<Found>(req.query, {
    select: `type, id, name, description, tags, capabilities, coalesce(metadata_state, 'pending') AS metadata_state, active,
      address, capability_hash, merchant_id, service_id, fulfilled::text, disputes::text, price, price_token, score, rank,
      price_key`,
    from: `(SELECT *, ${isWhole ? "0" : SCORE} AS score, ${isWhole ? "0" : `-${SCORE}`} AS rank,
        coalesce(price, ${2n ** 256n}) AS price_key
      FROM (
        SELECT r.*, m.state AS metadata_state, m.name, m.description, m.tags, m.capabilities, ${match} AS match
        FROM ${withMetadata(type ? [type] : kindNames)} WHERE $1::text IS NOT NULL
      ) matched WHERE match IS NOT NULL) found`,
    values: [text],
    filters: { active, capability_hash: capability, price_token: token },
    conditions: [
      ...(fulfilled === undefined ? [] : [`fulfilled >= ${fulfilled}`]),
      ...(noDisputes ? ["disputes = 0"] : []),
      ...(maxPrice === undefined ? [] : [`price <= ${maxPrice}`]),
    ],
    key: [...(isByPrice ? ["price_key"] : []), "rank", "type", "id"],
  });
  const results = rows.map(({ rank, price_key, tags, capabilities, ...found }) => ({
    ...found,
    tags: tags ?? [],
    capabilities: capabilities ?? [],
    score: String(found.score),
  }));
  res.json({ results, pagination });
});
