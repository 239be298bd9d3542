import { type SQL, sql } from "drizzle-orm";
import { zeroHash } from "viem";
import { agent, attestor, facilitator, merchant, service, solver } from "../../ponder.schema";
import { textLiteral } from "../indexed/text-literal";
import type { MetadataSubject } from "../offchain/resolved-metadata";

/** The longest part of a service's `service_id` that is searched. */
const MAX_LABEL = 160;

/** The columns of the index that metadata depends on. */
type Columns = { table: SQL; id: SQL; uri: SQL; hash: SQL; label: SQL };

const none = sql`NULL::varchar`;
const unlessZero = (hash: SQL) => sql`nullif(${hash}, ${textLiteral(zeroHash)})`;

/** The metadata of each kind of record in the index. */
export const metadataColumns: Readonly<Record<MetadataSubject, Columns>> = {
  agent: { table: sql`${agent}`, id: sql`${agent.agentId}`, uri: sql`${agent.metadataUri}`, hash: none, label: none },
  merchant: {
    table: sql`${merchant}`,
    id: sql`${merchant.merchantId}`,
    uri: sql`${merchant.metadataUri}`,
    hash: unlessZero(sql`${merchant.metadataHash}`),
    label: none,
  },
  service: {
    table: sql`${service}`,
    id: sql`${service.serviceNumericId}`,
    uri: sql`${service.metadataUri}`,
    hash: unlessZero(sql`${service.metadataHash}`),
    label: sql`left(${service.serviceId}, ${sql.raw(String(MAX_LABEL))})`,
  },
  facilitator: {
    table: sql`${facilitator}`,
    id: sql`${facilitator.facilitatorId}`,
    uri: sql`${facilitator.metadataUri}`,
    hash: unlessZero(sql`${facilitator.metadataHash}`),
    label: none,
  },
  solver: {
    table: sql`${solver}`,
    id: sql`${solver.solverId}`,
    uri: sql`${solver.metadataUri}`,
    hash: none,
    label: none,
  },
  attestor: {
    table: sql`${attestor}`,
    id: sql`${attestor.attestorId}`,
    uri: sql`${attestor.metadataUri}`,
    hash: none,
    label: none,
  },
};

/** The events that set a metadata URI: their subject, and the argument with its id. */
export const metadataEvents: readonly { name: string; subject: MetadataSubject; argument: string }[] = (
  [
    ["Agent", "agent", "agentId"],
    ["Merchant", "merchant", "merchantId"],
    ["Service", "service", "serviceNumericId"],
    ["Facilitator", "facilitator", "facilitatorId"],
    ["Solver", "solver", "solverId"],
    ["Attestor", "attestor", "attestorId"],
  ] as const
).flatMap(([prefix, subject, argument]) =>
  ["Registered", "Updated"].map((suffix) => ({ name: `${prefix}${suffix}`, subject, argument })),
);
