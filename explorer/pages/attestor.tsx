import type { AttestorRecord } from "../../client/src/api";
import { Facts, Stats, Technical } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { Account, activity, Block, Count, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { attestationsOf } from "../record-lists";
import { describeAttestor } from "../social/descriptions";
import { percentOf } from "../text/format";

type Data = { attestor: Shown<AttestorRecord>; list: ListPage };

const listsOf = ({ operator }: Pick<AttestorRecord, "operator">) => [attestationsOf({ attester: operator })] as const;

const View = ({ data: { attestor, list }, live, parameters }: ViewProps<Data>) => (
  <>
    <NamedHeading
      kind="attestor"
      id={attestor.attestor_id}
      status={activity(attestor.active)}
      address={attestor.operator}
      metadata={attestor.metadata}
      byline={
        <>
          Operated by <Hex value={attestor.operator} bare href={links.account(attestor.operator)} />
        </>
      }
    />
    <Stats
      items={[
        {
          field: "attestations",
          label: "Attestations",
          value: <Count value={attestor.attestations} />,
          note: "Statements on chain",
        },
        {
          field: "revoked_attestations",
          label: "Revoked",
          value: <Count value={attestor.revoked_attestations} />,
          note: `${percentOf(attestor.revoked_attestations, attestor.attestations) ?? "0 %"} of them`,
        },
      ]}
    />
    <RecordTabs
      path={links.attestor(attestor.attestor_id)}
      parameters={parameters}
      lists={listsOf(attestor)}
      page={list}
    />
    <EventLog title="Recent events of this attestor" live={live} />
    <Technical>
      <Facts
        items={[
          { field: "operator", label: "Operator", value: <Account value={attestor.operator} full /> },
          { field: "metadata_uri", label: "Metadata URI", value: <Uri value={attestor.metadata_uri} /> },
          { field: "schemas_hash", label: "Schemas hash", value: <Hex value={attestor.schemas_hash} full /> },
          { field: "block_number", label: "Block", value: <Block value={attestor.block_number} /> },
        ]}
      />
      <MetadataFacts metadata={attestor.metadata} api={`/attestors/${attestor.attestor_id}`} />
    </Technical>
  </>
);

export const attestorPage = page<Data>({
  path: links.attestor(":id"),
  title: ({ attestor }) => titleOf("attestor", attestor.attestor_id, attestor),
  description: ({ attestor }) => describeAttestor(attestor),
  async load(api, parameters) {
    const { id = "" } = parameters;
    const attestor = withShownMetadata(await api.attestors.get.query({ id, include }));
    return { attestor, list: await readTab(api, listsOf(attestor), parameters) };
  },
  View,
  subscription: ({ attestor }) => ({ filter: { account: attestor.operator } }),
});
