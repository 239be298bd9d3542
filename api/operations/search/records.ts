import { type SQL, sql } from "drizzle-orm";
import {
  agent,
  attestor,
  facilitator,
  merchant,
  receipt,
  service,
  solver,
  solverActivity,
  total,
} from "../../../ponder.schema";
import { textLiteral } from "../../indexed/text-literal";
import { metadataColumns } from "../../metadata/subjects";
import type { MetadataSubject } from "../../offchain/resolved-metadata";
import { resolvedMetadata } from "../../offchain/tables";
import { isMetadataOf } from "../resource-metadata";

/** A searchable record of the index, with its metadata and its activity on chain. All kinds have the same fields. */
export type SearchedRecord = {
  type: MetadataSubject;
  id: string;
  active: boolean;
  address: string | null;
  capability_hash: string | null;
  merchant_id: string | null;
  service_id: string | null;
  metadata_state: string | null;
  name: string | null;
  description: string | null;
  tags: string[] | null;
  capabilities: string[] | null;
  fulfilled: number;
  disputes: number;
  price: string | null;
  price_token: string | null;
};

type Fields = { [Name in keyof SearchedRecord]: SQL<SearchedRecord[Name]> };

type Kind = { fields: Fields; from: SQL };

const keyOf = (subject: MetadataSubject) => sql`${metadataColumns[subject].id}::text`;

type Subject = (typeof total.$inferSelect)["subject"];

const totalOf = (column: SQL, subject: Subject, key: SQL) =>
  sql`coalesce((SELECT ${column} FROM ${total} WHERE ${total.subject} = ${textLiteral(subject)} AND ${total.key} = ${key}), 0)`;

/** Open and upheld disputes. Rejected ones don't count. */
const disputesOf = (subject: Subject, key: SQL) =>
  sql`(${totalOf(sql`${total.count}`, subject, sql`${key} || '-OPEN'`)} + ${totalOf(sql`${total.count}`, subject, sql`${key} || '-RESOLVED'`)})`;

const none = {
  address: sql`NULL::varchar`,
  capability_hash: sql`NULL::varchar`,
  merchant_id: sql`NULL::numeric`,
  service_id: sql`NULL::varchar`,
  fulfilled: sql`0`,
  disputes: sql`0`,
  price: sql`NULL::numeric`,
  price_token: sql`NULL::varchar`,
};

function kindOf(subject: MetadataSubject, own: Partial<Fields> & Pick<Fields, "active">, joins = sql``): Kind {
  const { table, id } = metadataColumns[subject];
  return {
    fields: {
      type: sql`${textLiteral(subject)}::text`,
      id: sql`${id}`,
      ...none,
      metadata_state: sql`${resolvedMetadata.state}`,
      name: sql`${resolvedMetadata.name}`,
      description: sql`${resolvedMetadata.description}`,
      tags: sql`${resolvedMetadata.tags}`,
      capabilities: sql`${resolvedMetadata.capabilities}`,
      ...own,
    } as Fields,
    from: sql`${table} LEFT JOIN ${resolvedMetadata} ON ${isMetadataOf(subject)} ${joins}`,
  };
}

/** The latest payment for a service. Its price is what was paid, because anyone can claim a price in metadata. */
const lastPaid = sql`LEFT JOIN LATERAL (
  SELECT ${receipt.amount} AS amount, ${receipt.token} AS token FROM ${receipt}
  WHERE ${receipt.serviceNumericId} = ${service.serviceNumericId} ORDER BY ${receipt.receiptId} DESC LIMIT 1
) AS paid ON true`;

const kinds: Readonly<Record<MetadataSubject, Kind>> = {
  agent: kindOf("agent", {
    active: sql`NOT ${agent.revoked}`,
    address: sql`${agent.owner}`,
    capability_hash: sql`${agent.capabilitiesHash}`,
  }),
  merchant: kindOf("merchant", {
    active: sql`${merchant.active}`,
    address: sql`${merchant.owner}`,
    fulfilled: totalOf(sql`${total.fulfilled}`, "receipts_by_merchant", keyOf("merchant")) as SQL<number>,
    disputes: disputesOf("disputes_by_merchant", keyOf("merchant")) as SQL<number>,
  }),
  service: kindOf(
    "service",
    {
      active: sql`${service.active}`,
      capability_hash: sql`${service.capabilityHash}`,
      merchant_id: sql`${service.merchantId}`,
      service_id: metadataColumns.service.label as SQL<string>,
      fulfilled: totalOf(sql`${total.fulfilled}`, "receipts_by_service", keyOf("service")) as SQL<number>,
      disputes: disputesOf("disputes_by_service", keyOf("service")) as SQL<number>,
      price: sql`paid.amount`,
      price_token: sql`paid.token`,
    },
    lastPaid,
  ),
  facilitator: kindOf("facilitator", {
    active: sql`${facilitator.active}`,
    address: sql`${facilitator.facilitator}`,
    fulfilled: totalOf(sql`${total.count}`, "receipts_by_facilitator", sql`${facilitator.facilitator}`) as SQL<number>,
  }),
  solver: kindOf(
    "solver",
    {
      active: sql`${solver.active}`,
      address: sql`${solver.operator}`,
      capability_hash: sql`${solver.capabilitiesHash}`,
      fulfilled: sql`coalesce(${solverActivity.fills}, 0)`,
    },
    sql`LEFT JOIN ${solverActivity} ON ${solverActivity.solver} = ${solver.operator}`,
  ),
  attestor: kindOf("attestor", {
    active: sql`${attestor.active}`,
    address: sql`${attestor.operator}`,
    fulfilled: totalOf(sql`${total.count}`, "attestations_by_attester", sql`${attestor.operator}`) as SQL<number>,
  }),
};

/** The fields and the source of a kind of record. */
export const recordsOf = (subject: MetadataSubject): Kind => kinds[subject];

/** Selects the record of a candidate. Only the branch of its kind runs. */
export function recordOfCandidate(subjects: readonly MetadataSubject[]): SQL {
  const branches = subjects.map((subject) => {
    const { fields, from } = recordsOf(subject);
    const columns = Object.entries(fields).map(([name, field]) => sql`${field} AS ${sql.identifier(name)}`);
    return sql`SELECT ${sql.join(columns, sql`, `)} FROM ${from}
      WHERE candidate.subject = ${textLiteral(subject)} AND ${metadataColumns[subject].id} = candidate.subject_id`;
  });
  return sql.join(branches, sql` UNION ALL `);
}
