import { Router } from "express";
import { query } from "./database";
import { id, notFound } from "./input";

export const agents = Router();

const columns = "agent_id, owner, metadata_uri, pubkey, capabilities_hash, revoked, block_number";

agents.get("/agents/:agentId", async (req, res) => {
  const agentId = id("agentId", req.params.agentId);
  const [row] = await query(`SELECT ${columns} FROM agent WHERE agent_id = $1`, [agentId]);
  if (!row) throw notFound(`Agent ${agentId} not found`);
  res.json(row);
});
