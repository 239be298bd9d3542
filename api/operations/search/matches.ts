import { type SQL, sql } from "drizzle-orm";
import type { Hex } from "viem";
import {
  agent,
  attestation,
  attestor,
  dispute,
  eventLog,
  facilitator,
  intent,
  merchant,
  quote,
  receipt,
  service,
  settlement,
  solver,
} from "../../../ponder.schema";
import type { BaseContext } from "../../core/context";
import { z } from "../../core/operation";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { textLiteral } from "../../indexed/text-literal";
import { attestationSchema, document, documentKinds } from "../../offchain/tables";
import { hashOfAlias } from "../builtin-schemas";

/** Records with ids that count from 1. */
const numbered = {
  intent: [sql`${intent}`, sql`${intent.intentId}`],
  agent: [sql`${agent}`, sql`${agent.agentId}`],
  solver: [sql`${solver}`, sql`${solver.solverId}`],
  attestor: [sql`${attestor}`, sql`${attestor.attestorId}`],
  merchant: [sql`${merchant}`, sql`${merchant.merchantId}`],
  service: [sql`${service}`, sql`${service.serviceNumericId}`],
  facilitator: [sql`${facilitator}`, sql`${facilitator.facilitatorId}`],
  receipt: [sql`${receipt}`, sql`${receipt.receiptId}`],
  dispute: [sql`${dispute}`, sql`${dispute.disputeId}`],
  attestation: [sql`${attestation}`, sql`${attestation.attestationId}`],
} as const;

type Numbered = keyof typeof numbered;

const numberedKinds = Object.keys(numbered) as Numbered[];

const matchTypes = [
  ...numberedKinds,
  "account",
  "transaction",
  "quote",
  "settlement",
  "schema",
  "token",
  ...documentKinds,
] as const;

export const SearchMatch = z
  .strictObject({
    type: z.enum(matchTypes).openapi({ description: "What the text identifies." }),
    id: z.string().openapi({ description: "The record's id, hash or address.", example: "5" }),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The symbol of a token, or the name of a schema.", example: "tUSD" }),
  })
  .openapi("SearchMatch");

type Match = z.input<typeof SearchMatch>;

/** Intents with the same hash, attestations about the same subject, and settlements of a plan or quote that are returned. */
const MAX_PER_TYPE = sql.raw("LIMIT 20");

/**
 * The id in a text, and the kind of record if the text names it; undefined for other texts.
 *
 * @example
 * recordIn("Solver #1") // { kind: "solver", id: "1" }
 */
export function recordIn(text: string): { kind: Numbered | undefined; id: string } | undefined {
  const [, word = "", digits] = /^([a-z]*)[\s#-]*(\d{1,78})$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const name = word.toLowerCase().replace(/s$/, "");
  const kind = numberedKinds.find((one) => one === name);
  return word !== "" && !kind ? undefined : { kind, id: String(BigInt(digits)) };
}

const union = (parts: SQL[]) => sql.join(parts, sql` UNION ALL `);

const fields = {
  type: sql<Match["type"]>`found.type`,
  id: sql<string>`found.id`,
  name: sql<string | null>`found.name`,
};

const selectById = preparedQuery((db, { number, kinds }: Placeholders<{ number: string; kinds: string[] }>) =>
  db.select(fields).from(
    sql`(${union(
      numberedKinds.map((kind) => {
        const [table, id] = numbered[kind];
        return sql`SELECT ${textLiteral(kind)}::text AS type, ${id}::text AS id, NULL::text AS name FROM ${table}
          WHERE ${textLiteral(kind)} = ANY(${kinds}::text[]) AND ${id} = ${number}::numeric`;
      }),
    )}) AS found`,
  ),
);

// Each lookup is ordered by its index. Without an order, PostgreSQL prefers a sequential scan for one row of a frequent value.
const selectByHash = preparedQuery((db, { hash, schema }: Placeholders<{ hash: string; schema: string }>) =>
  db.select(fields).from(
    sql`(${union([
      sql`(SELECT 'transaction'::text AS type, ${eventLog.txHash}::text AS id, NULL::text AS name FROM ${eventLog} WHERE ${eventLog.txHash} = ${hash} ORDER BY ${eventLog.id} LIMIT 1)`,
      sql`SELECT 'quote', ${quote.quoteHash}::text, NULL FROM ${quote} WHERE ${quote.quoteHash} = ${hash}`,
      ...[settlement.executionHash, settlement.settlementPlanHash, settlement.quoteHash].map(
        (column) =>
          sql`(SELECT 'settlement', ${settlement.executionHash}::text, NULL FROM ${settlement} WHERE ${column} = ${hash} ORDER BY ${settlement.blockNumber}, ${settlement.logIndex} ${MAX_PER_TYPE})`,
      ),
      sql`SELECT 'schema', ${attestationSchema.schemaHash}, ${attestationSchema.name} FROM ${attestationSchema} WHERE ${attestationSchema.schemaHash} = ${schema}`,
      // A schema that is used on chain need not be published.
      sql`(SELECT 'schema', ${attestation.schemaHash}::text, NULL FROM ${attestation} WHERE ${attestation.schemaHash} = ${hash} ORDER BY ${attestation.attestationId} LIMIT 1)`,
      sql`SELECT ${document.kind}, ${document.hash}, NULL FROM ${document}
        WHERE ${document.kind} IN (${sql.join(documentKinds.map(textLiteral), sql`, `)}) AND ${document.hash} = ${hash}`,
      sql`(SELECT 'intent', ${intent.intentId}::text, NULL FROM ${intent} WHERE ${intent.intentHash} = ${hash} ORDER BY ${intent.intentId} ${MAX_PER_TYPE})`,
      sql`(SELECT 'attestation', ${attestation.attestationId}::text, NULL FROM ${attestation} WHERE ${attestation.subject} = ${hash} ORDER BY ${attestation.attestationId} ${MAX_PER_TYPE})`,
    ])}) AS found`,
  ),
);

/** What has a hash, each once: a settlement may have the same one in two fields, and a schema may be published and used. */
async function byHash(db: BaseContext["db"], hash: Hex): Promise<Match[]> {
  const found = await selectByHash(db, { hash, schema: hashOfAlias(hash) ?? hash });
  return found.filter(({ type, id }, index) => found.findIndex((one) => one.type === type && one.id === id) === index);
}

const selectSchema = preparedQuery((db, { name }: Placeholders<{ name: string }>) =>
  db
    .select(fields)
    .from(
      sql`(SELECT 'schema'::text AS type, ${attestationSchema.schemaHash} AS id, ${attestationSchema.name} AS name FROM ${attestationSchema} WHERE ${attestationSchema.name} = ${name}) AS found`,
    ),
);

/** The exact matches of a text. Every lookup uses an index. */
export async function matchesOf({ db, tokens }: BaseContext, text: string): Promise<Match[]> {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return [{ type: "account", id: text.toLowerCase(), name: null }];
  if (/^0x[0-9a-f]{64}$/i.test(text)) return byHash(db, text.toLowerCase() as Hex);
  const record = recordIn(text);
  const [found, schemas, named] = await Promise.all([
    record ? selectById(db, { number: record.id, kinds: record.kind ? [record.kind] : numberedKinds }) : [],
    selectSchema(db, { name: text.toLowerCase() }),
    tokens.named(text),
  ]);
  return [
    ...found,
    ...named.map(({ address, symbol, name }): Match => ({ type: "token", id: address, name: symbol ?? name })),
    ...schemas,
  ];
}
