import { eq, getTableColumns } from "drizzle-orm";
import { agent } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, bytesText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";

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

const findAgent = preparedQuery((db, { agentId }: Placeholders<{ agentId: bigint }>) =>
  db.select().from(agent).where(eq(agent.agentId, agentId)),
);

const findAgentWithMetadata = preparedQuery((db, { agentId }: Placeholders<{ agentId: bigint; chainId: number }>) =>
  db
    .select({ ...getTableColumns(agent), metadata: metadataField("agent") })
    .from(agent)
    .where(eq(agent.agentId, agentId)),
);

const getAgent = operation({
  route: "GET /agents/{agentId}",
  summary: "One agent by its id, even if revoked.",
  input: z.object({ agentId: id, ...includeInput }),
  output: withMetadata(Agent, "AgentRecord"),
  errors: [404],
  example: { agentId: "1" },
  dependsOn: storeIfIncluded("index"),
  async run(context, { agentId, include }) {
    const { db, config } = context;
    if (include) await context.store();
    const [row] = include
      ? await findAgentWithMetadata(db, { agentId, chainId: config.chainId })
      : await findAgent(db, { agentId });
    if (!row) throw new NotFound(`Agent ${agentId} not found`);
    return { ...agentToWire(row), ...metadataOf(row) };
  },
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
