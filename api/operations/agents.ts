import { eq, getTableColumns } from "drizzle-orm";
import { agent } from "../../ponder.schema";
import { address } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, bytesText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";

export const Agent = z
  .strictObject({
    agent_id: uintText,
    owner: addressText,
    metadata_uri: chainText,
    pubkey: bytesText,
    capabilities_hash: hashText,
    revoked: z.boolean(),
    block_number: uintText,
  })
  .openapi("Agent");

export const agentToWire = (row: typeof agent.$inferSelect): z.input<typeof Agent> => ({
  agent_id: String(row.agentId),
  owner: row.owner,
  metadata_uri: row.metadataUri,
  pubkey: row.pubkey,
  capabilities_hash: row.capabilitiesHash,
  revoked: row.revoked,
  block_number: String(row.blockNumber),
});

const getAgent = recordOperation({
  route: "GET /agents/{agentId}",
  summary: "One agent by its id, even if revoked.",
  subject: "agent",
  item: Agent,
  name: "AgentRecord",
  idName: "agentId",
  query: (db, { id }, metadata) =>
    db
      .select({ ...getTableColumns(agent), ...metadata })
      .from(agent)
      .where(eq(agent.agentId, id)),
  toWire: agentToWire,
});

const listAgents = listOperation({
  route: "GET /agents",
  summary: "Agents, by id.",
  description: "Revoked ones too.",
  name: "agents",
  item: Agent,
  filters: { owner: address.optional() },
  example: { owner: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(agent).$dynamic(),
  rows: agent,
  where: ({ owner }) => [owner && eq(agent.owner, owner)],
  orders: oldestFirst(agent, "agentId"),
  toWire: agentToWire,
});

export const agents = { get: getAgent, list: listAgents };
