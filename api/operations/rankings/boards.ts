import { type SQL, sql } from "drizzle-orm";
import { agent, facilitator, merchant, service, solver } from "../../../ponder.schema";
import { resolvedMetadata } from "../../offchain/tables";
import { isMetadataOf } from "../resource-metadata";
import type { ParticipantKind } from "./hours";

/** The boards of the leaderboard, by the participants that they rank. */
export const boardNames = ["merchants", "services", "solvers", "agents", "facilitators"] as const;

export type BoardName = (typeof boardNames)[number];

export type Board = {
  kind: ParticipantKind;
  /** What the board counts. */
  metric: "receipts" | "fills";
  /** Selects the record of `ranked.key`: `id`, `owner`, `service_id`, `merchant_id` and `name`. No row if it is unregistered. */
  record: SQL;
};

const nothing = sql`NULL::text`;

/** The name in the metadata of a record. */
const nameOf = (subject: "agent" | "merchant" | "service" | "facilitator" | "solver") =>
  sql`(SELECT ${resolvedMetadata.name} FROM ${resolvedMetadata} WHERE ${isMetadataOf(subject)})`;

const fields = (id: SQL, owner: SQL, name: SQL, serviceId = nothing, merchantId = nothing) =>
  sql`${id}::text AS id, ${owner} AS owner, ${name} AS name, ${serviceId} AS service_id, ${merchantId} AS merchant_id`;

export const boards: Readonly<Record<BoardName, Board>> = {
  merchants: {
    kind: "merchant",
    metric: "receipts",
    record: sql`SELECT ${fields(sql`${merchant.merchantId}`, sql`${merchant.owner}`, nameOf("merchant"))}
      FROM ${merchant} WHERE ${merchant.merchantId} = ranked.key::numeric`,
  },
  services: {
    kind: "service",
    metric: "receipts",
    record: sql`SELECT ${fields(
      sql`${service.serviceNumericId}`,
      sql`(SELECT ${merchant.owner} FROM ${merchant} WHERE ${merchant.merchantId} = ${service.merchantId})`,
      nameOf("service"),
      sql`${service.serviceId}`,
      sql`${service.merchantId}::text`,
    )} FROM ${service} WHERE ${service.serviceNumericId} = ranked.key::numeric`,
  },
  solvers: {
    kind: "solver",
    metric: "fills",
    record: sql`SELECT ${fields(sql`${solver.solverId}`, sql`${solver.operator}`, nameOf("solver"))}
      FROM ${solver} WHERE ${solver.operator} = ranked.key ORDER BY ${solver.solverId} LIMIT 1`,
  },
  agents: {
    kind: "agent",
    metric: "receipts",
    record: sql`SELECT ${fields(sql`${agent.agentId}`, sql`${agent.owner}`, nameOf("agent"))}
      FROM ${agent} WHERE ${agent.owner} = ranked.key ORDER BY ${agent.agentId} LIMIT 1`,
  },
  facilitators: {
    kind: "facilitator",
    metric: "receipts",
    record: sql`SELECT ${fields(sql`${facilitator.facilitatorId}`, sql`${facilitator.facilitator}`, nameOf("facilitator"))}
      FROM ${facilitator} WHERE ${facilitator.facilitator} = ranked.key LIMIT 1`,
  },
};
