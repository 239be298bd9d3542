import { type SQL, sql } from "drizzle-orm";
import { agent, facilitator, merchant, type participantMetrics, service, solver } from "../../ponder.schema";

/** The kinds of records with a verdict. */
export const trustKinds = ["merchant", "service", "agent", "solver", "facilitator"] as const;

export type TrustKind = (typeof trustKinds)[number];

type Metric = (typeof participantMetrics)[number];

type Participant = {
  /** The tables of the record, and of its owner. */
  tables: SQL;
  id: SQL;
  /** The address that acts for the record. Attestations are about it. */
  address: SQL;
  /** The record's key in the tables of participants and counterparties. An agent's receipts are those of its owner. */
  key: SQL;
  isActive: SQL;
  block: SQL;
  /** The metrics of its payments, and of those between addresses of one owner, which don't count. */
  payments: Metric;
  selfPayments?: Metric;
  /** The subject of the totals of its disputes, the status of those that it has lost, and the value that lists them. */
  disputes?: {
    subject: "disputes_by_merchant" | "disputes_by_service" | "disputes_by_opener";
    lost: "RESOLVED" | "REJECTED";
    listedBy: SQL;
  };
  /** The order of the records of an address, which stands for the first. Undefined if the kind has no address of its own. */
  ofAddress?: SQL;
};

const receipts = { payments: "receipts", selfPayments: "self_receipts" } as const;

/** How the records of each kind are read. A merchant decides the disputes about its receipts: it loses those it upholds. */
export const participants: Readonly<Record<TrustKind, Participant>> = {
  merchant: {
    ...receipts,
    tables: sql`${merchant}`,
    id: sql`${merchant.merchantId}`,
    address: sql`${merchant.owner}`,
    key: sql`${merchant.merchantId}::text`,
    isActive: sql`${merchant.active}`,
    block: sql`${merchant.blockNumber}`,
    disputes: { subject: "disputes_by_merchant", lost: "RESOLVED", listedBy: sql`${merchant.merchantId}::text` },
  },
  service: {
    ...receipts,
    tables: sql`${service} JOIN ${merchant} ON ${merchant.merchantId} = ${service.merchantId}`,
    id: sql`${service.serviceNumericId}`,
    address: sql`${merchant.owner}`,
    key: sql`${service.serviceNumericId}::text`,
    isActive: sql`(${service.active} AND ${merchant.active})`,
    block: sql`${service.blockNumber}`,
    disputes: { subject: "disputes_by_service", lost: "RESOLVED", listedBy: sql`${service.merchantId}::text` },
  },
  agent: {
    ...receipts,
    tables: sql`${agent}`,
    id: sql`${agent.agentId}`,
    address: sql`${agent.owner}`,
    key: sql`${agent.owner}`,
    isActive: sql`NOT ${agent.revoked}`,
    block: sql`${agent.blockNumber}`,
    disputes: { subject: "disputes_by_opener", lost: "REJECTED", listedBy: sql`${agent.owner}` },
    ofAddress: sql`${agent.agentId} DESC`,
  },
  solver: {
    payments: "fills",
    selfPayments: "self_fills",
    tables: sql`${solver}`,
    id: sql`${solver.solverId}`,
    address: sql`${solver.operator}`,
    key: sql`${solver.operator}`,
    isActive: sql`${solver.active}`,
    block: sql`${solver.blockNumber}`,
    ofAddress: sql`${solver.solverId} DESC`,
  },
  facilitator: {
    ...receipts,
    tables: sql`${facilitator}`,
    id: sql`${facilitator.facilitatorId}`,
    address: sql`${facilitator.facilitator}`,
    key: sql`${facilitator.facilitator}`,
    isActive: sql`${facilitator.active}`,
    block: sql`${facilitator.blockNumber}`,
    ofAddress: sql`${facilitator.facilitatorId} DESC`,
  },
};

/** The common columns of a record beside its tables, as `own`. Its figures refer to them. */
export function ownColumns(kind: TrustKind): SQL {
  const { id, address, key, isActive, block, disputes } = participants[kind];
  return sql`LATERAL (
    SELECT ${id} AS id, ${address} AS address, ${key} AS key, ${isActive} AS is_active, ${block} AS block,
      ${disputes?.listedBy ?? sql`NULL::text`} AS disputes_of
  ) AS own`;
}
