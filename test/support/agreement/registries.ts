import { allOf, blockOf, byId, type Chain, known, lower, type Rows, unless, withoutNul } from "./chain";

/** The rows of agents, attestations, attestors and solvers. */
export async function registryRows({
  client,
  read,
  events,
}: Chain): Promise<Rows<"agent" | "attestation" | "attestor" | "solver">> {
  const agents = await allOf((id) => unless("AgentNotFound", read("AgentRegistry", "getAgent", [id])));
  const attestations = await allOf((id) =>
    unless("AttestationNotFound", read("AttestationRegistry", "getAttestation", [id])),
  );
  const attestors = await allOf((id) => unless("AttestorNotFound", read("AttestorRegistry", "getAttestor", [id])));
  const solvers = await allOf((id) => unless("SolverNotFound", read("SolverRegistry", "getSolver", [id])));
  const agentLogs = byId(
    await client.getContractEvents({ ...events("AgentRegistry"), eventName: "AgentRegistered" }),
    ({ args }) => args.agentId,
  );
  const attestationLogs = byId(
    await client.getContractEvents({ ...events("AttestationRegistry"), eventName: "AttestationSubmitted" }),
    ({ args }) => args.id,
  );
  const attestorLogs = byId(
    await client.getContractEvents({ ...events("AttestorRegistry"), eventName: "AttestorRegistered" }),
    ({ args }) => args.attestorId,
  );
  const solverLogs = byId(
    await client.getContractEvents({ ...events("SolverRegistry"), eventName: "SolverRegistered" }),
    ({ args }) => args.solverId,
  );

  return {
    agent: agents.map(({ id, value }) => ({
      agentId: String(id),
      owner: lower(value.owner),
      metadataUri: withoutNul(value.metadataURI),
      pubkey: value.pubkey,
      capabilitiesHash: value.capabilitiesHash,
      revoked: value.revoked,
      ...blockOf(known(agentLogs, id)),
    })),
    attestation: attestations.map(({ id, value }) => ({
      attestationId: String(id),
      attester: lower(value.attester),
      schemaHash: value.schema,
      subject: value.subject,
      dataHash: value.dataHash,
      timestamp: String(value.timestamp),
      revoked: value.revoked,
      ...blockOf(known(attestationLogs, id)),
    })),
    attestor: attestors.map(({ id, value }) => ({
      attestorId: String(id),
      operator: lower(value.operator),
      metadataUri: withoutNul(value.metadataURI),
      schemasHash: value.schemasHash,
      active: value.active,
      ...blockOf(known(attestorLogs, id)),
    })),
    solver: solvers.map(({ id, value }) => ({
      solverId: String(id),
      operator: lower(value.operator),
      metadataUri: withoutNul(value.metadataURI),
      capabilitiesHash: value.capabilitiesHash,
      bond: String(value.bond),
      active: value.active,
      ...blockOf(known(solverLogs, id)),
    })),
  };
}
