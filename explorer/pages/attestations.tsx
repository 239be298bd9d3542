import type { Attestation, AttestationSchema, Attestor } from "../../client/src/api";
import { Facts, Fold, Heading, Section, Technical } from "../components/blocks";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { Account, Block, IsoTime, None, Status, Subject, Time } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { attestationsOf } from "../record-lists";
import { describeAttestation } from "../social/descriptions";
import { shortHex } from "../text/format";
import { indentedJson } from "../text/indented-json";

type AttestationData = {
  attestation: Attestation;
  schema: AttestationSchema | null;
  /** The attestor that the attester operates, if it is registered. */
  attestor: Attestor | null;
};

const AttestationView = ({ data: { attestation, schema, attestor } }: ViewProps<AttestationData>) => (
  <>
    <Heading
      kind={`Attestation #${attestation.attestation_id}`}
      lead={
        <>
          Stated by{" "}
          {attestor ? (
            <RecordLink kind="attestor" id={attestor.attestor_id} before="attestor" />
          ) : (
            <>
              <Account value={attestation.attester} bare />, which is not a registered attestor,
            </>
          )}{" "}
          <Time seconds={attestation.timestamp} />
          {attestation.revoked ? ", and revoked since." : ". It is valid."}
        </>
      }
    >
      <a href={links.schema(attestation.schema_hash)}>
        {schema ? <bdi>{schema.name}</bdi> : <>Schema {shortHex(attestation.schema_hash)}</>}
      </a>{" "}
      about <Subject value={attestation.subject} /> <Status value={attestation.revoked ? "REVOKED" : "VALID"} />
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
          { field: "schema_name", label: "Schema", value: schema?.name ?? <None>not published</None> },
          { field: "schema_description", label: "What it states", value: schema?.description ?? <None /> },
          { field: "timestamp", label: "Time", value: <Time seconds={attestation.timestamp} full /> },
        ]}
      />
    </Section>
    <Technical>
      <Facts
        items={[
          {
            field: "schema_hash",
            label: "Schema hash",
            value: <Hex value={attestation.schema_hash} full href={links.schema(attestation.schema_hash)} />,
          },
          { field: "subject", label: "Subject", value: <Hex value={attestation.subject} full /> },
          { field: "data_hash", label: "Data hash", value: <Hex value={attestation.data_hash} full /> },
          { field: "block_number", label: "Block", value: <Block value={attestation.block_number} /> },
        ]}
      />
    </Technical>
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

type SchemaData = { hash: string; schema: AttestationSchema | null; list: ListPage };

const listsOf = (hash: string) => [attestationsOf({ schema: hash })] as const;

const SchemaView = ({ data: { hash, schema, list }, parameters }: ViewProps<SchemaData>) => (
  <>
    <Heading
      kind="Attestation schema"
      lead={
        schema === null
          ? "Used on chain, and not published here."
          : schema.description && <bdi>{schema.description}</bdi>
      }
    >
      {schema ? <bdi>{schema.name}</bdi> : <Hex value={hash} full />}
    </Heading>
    {schema && (
      <Section title="Schema">
        <Facts
          items={[
            { field: "name", label: "Name", value: <bdi>{schema.name}</bdi> },
            { field: "description", label: "Description", value: schema.description ?? <None /> },
            { field: "recommended_subject", label: "Subject", value: schema.recommended_subject ?? <None /> },
            { field: "builtin", label: "Built in", value: schema.builtin ? "yes" : "no" },
            { field: "created_at", label: "Published", value: <IsoTime value={schema.created_at} /> },
          ]}
        />
        <Fold title="JSON schema of the data">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre tabIndex={0}>{indentedJson(JSON.stringify(schema.json_schema))}</pre>
        </Fold>
      </Section>
    )}
    <RecordTabs path={links.schema(hash)} parameters={parameters} lists={listsOf(hash)} page={list} />
    <Technical>
      <Facts items={[{ field: "schema_hash", label: "Hash", value: <Hex value={hash} full /> }]} />
    </Technical>
  </>
);

export const schemaPage = page<SchemaData>({
  path: links.schema(":hash"),
  title: ({ hash, schema }) => `Schema ${schema?.name ?? shortHex(hash)}`,
  description: ({ schema }) => schema?.description ?? "A schema of attestations that is used on chain.",
  async load(api, parameters) {
    const { hash = "" } = parameters;
    const [schema, list] = await Promise.all([
      ifFound(api.schemas.get.query({ schemaHash: hash })),
      readTab(api, listsOf(hash), parameters),
    ]);
    // Attestations may name a schema that no one published. Without them there is nothing to show.
    if (schema === null && list.pagination.total === 0) await api.schemas.get.query({ schemaHash: hash });
    return { hash, schema, list };
  },
  View: SchemaView,
  subscription: () => ({ filter: { contract: "AttestationRegistry" } }),
});
