import type { AgentRecord, Attestation, AttestorRecord, SolverRecord, TrustSignal } from "../../client/src/api";
import { Facts, Section, TableSection } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataSection, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { AttestationTable, FillRate, SignalTable } from "../components/tables";
import { Amount } from "../components/tokens";
import { Account, activity, Count, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { NATIVE_COIN } from "../tokens";

const SHOWN = 20;
const AGENT_SUBJECT = 3;

type AgentData = { agent: Shown<AgentRecord>; signals: readonly TrustSignal[] };

const AgentView = ({ data: { agent, signals }, live }: ViewProps<AgentData>) => (
  <>
    <NamedHeading
      kind="agent"
      id={agent.agent_id}
      status={agent.revoked ? "REVOKED" : "ACTIVE"}
      metadata={agent.metadata}
    />
    <MetadataSection metadata={agent.metadata} api={`/agents/${agent.agent_id}`} />
    <Section title="Registration">
      <Facts
        items={[
          { field: "owner", label: "Owner", value: <Account value={agent.owner} full /> },
          { field: "metadata_uri", label: "Metadata URI", value: <Uri value={agent.metadata_uri} /> },
          { field: "pubkey", label: "Public key", value: <code class="text">{agent.pubkey}</code> },
          {
            field: "capabilities_hash",
            label: "Capabilities hash",
            value: <Hex value={agent.capabilities_hash} full />,
          },
          { field: "block_number", label: "Block", value: <Count value={agent.block_number} /> },
        ]}
      />
    </Section>
    <TableSection
      title="Trust signals"
      id="signals"
      Rows={SignalTable}
      rows={signals}
      caption="Trust signals about this agent"
    />
    <EventLog title="Recent events of this agent" live={live} />
  </>
);

export const agentPage = page<AgentData>({
  path: links.agent(":id"),
  title: ({ agent }) => titleOf("agent", agent.agent_id, agent),
  async load({ agents, trustSignals }, { id = "" }) {
    const [agent, { trust_signals: signals }] = await Promise.all([
      agents.get.query({ agentId: id, include }),
      trustSignals.list.query({ subject_type: AGENT_SUBJECT, subject_id: id, limit: SHOWN }),
    ]);
    return { agent: withShownMetadata(agent), signals };
  },
  View: AgentView,
  subscription: ({ agent }) => ({ filter: { agent: agent.agent_id } }),
});

const SolverView = ({ data: solver, live }: ViewProps<Shown<SolverRecord>>) => (
  <>
    <NamedHeading kind="solver" id={solver.solver_id} status={activity(solver.active)} metadata={solver.metadata} />
    <Section title="Record">
      <Facts
        items={[
          { field: "fills", label: "Fills", value: <Count value={solver.fills} /> },
          {
            field: "successful_fills",
            label: "Selected bids filled",
            value: <Count value={solver.successful_fills} />,
          },
          { field: "failed_fills", label: "Selected bids not filled", value: <Count value={solver.failed_fills} /> },
          { field: "fill_rate", label: "Fill rate", value: <FillRate solver={solver} /> },
          {
            field: "avg_latency_blocks",
            label: "Average blocks from intent to fill",
            value: solver.avg_latency_blocks,
          },
          {
            field: "avg_surplus_out",
            label: "Average above the minimum, in the smallest units of all tokens",
            value: solver.avg_surplus_out,
          },
          {
            field: "total_latency_blocks",
            label: "Blocks from intent to fill, in all",
            value: <Count value={solver.total_latency_blocks} />,
          },
          {
            field: "total_surplus_out",
            label: "Above the minimum in all, in the smallest units of all tokens",
            value: <Count value={solver.total_surplus_out} />,
          },
        ]}
      />
    </Section>
    <MetadataSection metadata={solver.metadata} api={`/solvers/${solver.solver_id}`} />
    <Section title="Registration">
      <Facts
        items={[
          { field: "operator", label: "Operator", value: <Account value={solver.operator} full /> },
          { field: "bond", label: "Bond", value: <Amount value={solver.bond} token={NATIVE_COIN} full /> },
          { field: "metadata_uri", label: "Metadata URI", value: <Uri value={solver.metadata_uri} /> },
          {
            field: "capabilities_hash",
            label: "Capabilities hash",
            value: <Hex value={solver.capabilities_hash} full />,
          },
          { field: "block_number", label: "Block", value: <Count value={solver.block_number} /> },
        ]}
      />
    </Section>
    <EventLog title="Recent events of this solver" live={live} />
  </>
);

export const solverPage = page<Shown<SolverRecord>>({
  path: links.solver(":id"),
  title: (solver) => titleOf("solver", solver.solver_id, solver),
  load: async ({ solvers }, { id = "" }) => withShownMetadata(await solvers.get.query({ id, include })),
  View: SolverView,
  subscription: ({ operator }) => ({ filter: { account: operator } }),
  tokens: [NATIVE_COIN],
});

type AttestorData = { attestor: Shown<AttestorRecord>; attestations: readonly Attestation[] };

const AttestorView = ({ data: { attestor, attestations }, live }: ViewProps<AttestorData>) => (
  <>
    <NamedHeading
      kind="attestor"
      id={attestor.attestor_id}
      status={activity(attestor.active)}
      metadata={attestor.metadata}
    />
    <Section title="Record">
      <Facts
        items={[
          { field: "attestations", label: "Attestations", value: <Count value={attestor.attestations} /> },
          { field: "revoked_attestations", label: "Revoked", value: <Count value={attestor.revoked_attestations} /> },
          { field: "operator", label: "Operator", value: <Account value={attestor.operator} full /> },
          { field: "metadata_uri", label: "Metadata URI", value: <Uri value={attestor.metadata_uri} /> },
          { field: "schemas_hash", label: "Schemas hash", value: <Hex value={attestor.schemas_hash} full /> },
          { field: "block_number", label: "Block", value: <Count value={attestor.block_number} /> },
        ]}
      />
    </Section>
    <MetadataSection metadata={attestor.metadata} api={`/attestors/${attestor.attestor_id}`} />
    <TableSection
      title="Attestations"
      id="attestations"
      Rows={AttestationTable}
      rows={attestations}
      caption="Attestations by this attestor"
    />
    <EventLog title="Recent events of this attestor" live={live} />
  </>
);

export const attestorPage = page<AttestorData>({
  path: links.attestor(":id"),
  title: ({ attestor }) => titleOf("attestor", attestor.attestor_id, attestor),
  async load(api, { id = "" }) {
    const attestor = await api.attestors.get.query({ id, include });
    const { attestations } = await api.attestations.list.query({ attester: attestor.operator, limit: SHOWN });
    return { attestor: withShownMetadata(attestor), attestations };
  },
  View: AttestorView,
  subscription: ({ attestor }) => ({ filter: { account: attestor.operator } }),
});
