import { Router } from "express";
import { NOW, query } from "./database";
import { address, flag, HttpError, hash, id, notFound, optional } from "./input";
import { readPage } from "./list";

/** Attestations and their schemas, attestors and solvers. */
export const participants = Router();

const schemas = {
  select: `schema_hash, name, description, json_schema::json, recommended_subject, builtin, created_at`,
  from: "offchain.attestation_schema",
};

participants.get("/attestations/schemas", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, { ...schemas, key: ["name"] });
  res.json({ schemas: rows, pagination });
});

participants.get("/attestations/schemas/:schemaHash", async (req, res) => {
  const schemaHash = hash("schemaHash", req.params.schemaHash);
  const [row] = await query(`SELECT ${schemas.select} FROM ${schemas.from} WHERE schema_hash = $1`, [schemaHash]);
  if (!row) throw notFound(`Schema ${schemaHash} not found`);
  res.json(row);
});

const attestations = {
  select: "attestation_id, attester, schema_hash, subject, data_hash, timestamp, revoked, block_number",
  from: "attestation",
};

participants.get("/attestations", async (req, res) => {
  const filters = {
    schema_hash: optional(hash, "schema", req.query),
    subject: optional(hash, "subject", req.query),
    attester: optional(address, "attester", req.query),
    revoked: optional(flag, "revoked", req.query),
  };
  if (Object.values(filters).every((value) => value === undefined))
    throw new HttpError(400, "schema, subject, attester, revoked: at least one of them is required");
  const { rows, pagination } = await readPage(req.query, { ...attestations, filters, key: ["attestation_id"] });
  res.json({ attestations: rows, pagination });
});

participants.get("/attestations/:id", async (req, res) => {
  const attestationId = id("id", req.params.id);
  const { select, from } = attestations;
  const [row] = await query(`SELECT ${select} FROM ${from} WHERE attestation_id = $1`, [attestationId]);
  if (!row) throw notFound(`Attestation ${attestationId} not found`);
  res.json(row);
});

const attestors = {
  select: `a.attestor_id, a.operator, a.metadata_uri, a.schemas_hash, a.active,
    coalesce(t.count, 0)::text AS attestations, coalesce(t.revoked, 0)::text AS revoked_attestations, a.block_number`,
  from: "attestor a LEFT JOIN total t ON t.subject = 'attestations_by_attester' AND t.key = a.operator",
};

participants.get("/attestors", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    ...attestors,
    filters: {
      "a.active": optional(flag, "active", req.query),
      "a.operator": optional(address, "operator", req.query),
    },
    key: ["a.attestor_id"],
  });
  res.json({ attestors: rows, pagination });
});

participants.get("/attestors/:id", async (req, res) => {
  const attestorId = id("id", req.params.id);
  const { select, from } = attestors;
  const [row] = await query(`SELECT ${select} FROM ${from} WHERE a.attestor_id = $1`, [attestorId]);
  if (!row) throw notFound(`Attestor ${attestorId} not found`);
  res.json(row);
});

/** SQL for a mean with at most six fraction digits; 0 without fills. */
const average = (sum: string) => `coalesce(trim_scale(round(${sum} / nullif(y.fills, 0), 6)), 0)`;

const solvers = {
  select: `s.solver_id, s.operator, s.metadata_uri, s.capabilities_hash, s.bond, s.active,
    coalesce(y.fills, 0)::text AS fills, coalesce(y.fills, 0)::text AS successful_fills,
    coalesce(y.unfilled_selections, 0) - (
      SELECT count(*) FROM intent i
      WHERE i.selected_solver = s.operator AND i.status = 'OPEN' AND i.deadline > ${NOW}
    ) AS failed_fills,
    ${average("y.latency_blocks")} AS avg_latency_blocks, ${average("y.surplus_out")} AS avg_surplus_out,
    coalesce(y.latency_blocks, 0) AS total_latency_blocks, coalesce(y.surplus_out, 0) AS total_surplus_out, s.block_number`,
  from: "solver s LEFT JOIN solver_activity y ON y.solver = s.operator",
};

participants.get("/solvers", async (req, res) => {
  const { rows, pagination } = await readPage(req.query, {
    ...solvers,
    filters: {
      "s.active": optional(flag, "active", req.query),
      "s.operator": optional(address, "operator", req.query),
    },
    key: ["s.solver_id"],
  });
  res.json({ solvers: rows, pagination });
});

participants.get("/solvers/:id", async (req, res) => {
  const solverId = id("id", req.params.id);
  const { select, from } = solvers;
  const [row] = await query(`SELECT ${select} FROM ${from} WHERE s.solver_id = $1`, [solverId]);
  if (!row) throw notFound(`Solver ${solverId} not found`);
  res.json(row);
});
