import type { Attestation, AttestationSchema, Attestor } from "../../client/src/api";
import { Facts, Heading, Section, TableSection } from "../components/blocks";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { AttestationTable } from "../components/tables";
import { Account, Count, FoundHash, IsoTime, None, Status, Time } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { describeAttestation } from "../social/descriptions";
import { shortHex } from "../text/format";
import { indentedJson } from "../text/indented-json";

const SHOWN = 20;

type AttestationData = {
  attestation: Attestation;
  schema: AttestationSchema | null;
  /** The attestor that the attester operates, if it is registered. */
  attestor: Attestor | null;
};

const AttestationView = ({ data: { attestation, schema, attestor } }: ViewProps<AttestationData>) => (
  <>
    <Heading kind="Attestation">
      Attestation #{attestation.attestation_id} <Status value={attestation.revoked ? "REVOKED" : "VALID"} />
    </Heading>
    <Section title="Statement">
      <Facts
        items={[
          { field: "attester", label: "Attester", value: <Account value={attestation.attester} full /> },
          {
            field: "attestor_id",
            label: "Attestor",
            value: attestor ? <RecordLink kind="attestor" id={attestor.attestor_id} /> : <None>not registered</None>,
          },
          {
            field: "schema_hash",
            label: "Schema",
            value: <Hex value={attestation.schema_hash} full href={links.schema(attestation.schema_hash)} />,
          },
          { field: "schema_name", label: "Schema name", value: schema?.name ?? <None>not published</None> },
          { field: "subject", label: "Subject", value: <FoundHash value={attestation.subject} full /> },
          { field: "data_hash", label: "Data hash", value: <Hex value={attestation.data_hash} full /> },
          { field: "timestamp", label: "Time", value: <Time seconds={attestation.timestamp} /> },
          { field: "block_number", label: "Block", value: <Count value={attestation.block_number} /> },
        ]}
      />
    </Section>
  </>
);

export const attestationPage = page<AttestationData>({
  path: links.attestation(":id"),
  title: ({ attestation }) => `Attestation #${attestation.attestation_id}`,
  description: ({ attestation, schema }, words) => describeAttestation(attestation, schema?.name, words),
  async load(api, { id = "" }) {
    const attestation = await api.attestations.get.query({ id });
    const [schema, { attestors }] = await Promise.all([
      ifFound(api.schemas.get.query({ schemaHash: attestation.schema_hash })),
      api.attestors.list.query({ operator: attestation.attester, limit: 1 }),
    ]);
    return { attestation, schema, attestor: attestors[0] ?? null };
  },
  View: AttestationView,
  subscription: () => ({ filter: { contract: "AttestationRegistry" } }),
});

type SchemaData = { hash: string; schema: AttestationSchema | null; attestations: readonly Attestation[] };

const SchemaView = ({ data: { hash, schema, attestations } }: ViewProps<SchemaData>) => (
  <>
    <Heading kind="Attestation schema">{schema?.name ?? <Hex value={hash} full />}</Heading>
    <Section title="Schema">
      {schema === null ? (
        <p class="none">This schema is used on chain, and was not published here.</p>
      ) : (
        <>
          <Facts
            items={[
              { field: "schema_hash", label: "Hash", value: <Hex value={schema.schema_hash} full /> },
              { field: "name", label: "Name", value: schema.name },
              { field: "description", label: "Description", value: schema.description ?? <None /> },
              { field: "recommended_subject", label: "Subject", value: schema.recommended_subject ?? <None /> },
              { field: "builtin", label: "Built in", value: schema.builtin ? "yes" : "no" },
              { field: "created_at", label: "Published", value: <IsoTime value={schema.created_at} /> },
            ]}
          />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre tabIndex={0}>{indentedJson(JSON.stringify(schema.json_schema))}</pre>
        </>
      )}
    </Section>
    <TableSection
      title="Attestations"
      id="attestations"
      Rows={AttestationTable}
      rows={attestations}
      caption="Attestations under this schema"
    />
  </>
);

export const schemaPage = page<SchemaData>({
  path: links.schema(":hash"),
  title: ({ hash, schema }) => `Schema ${schema?.name ?? shortHex(hash)}`,
  description: ({ schema }) => schema?.description ?? "A schema of attestations that is used on chain.",
  async load(api, { hash = "" }) {
    const [schema, { attestations }] = await Promise.all([
      ifFound(api.schemas.get.query({ schemaHash: hash })),
      api.attestations.list.query({ schema: hash, limit: SHOWN }),
    ]);
    // Attestations may name a schema that no one published. Without them there is nothing to show.
    if (schema === null && attestations.length === 0) await api.schemas.get.query({ schemaHash: hash });
    return { hash, schema, attestations };
  },
  View: SchemaView,
  subscription: () => ({ filter: { contract: "AttestationRegistry" } }),
});
