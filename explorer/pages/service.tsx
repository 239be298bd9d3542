import type { ServiceRecord, Trust } from "../../client/src/api";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Facts, Technical } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { RecordLink } from "../components/record-link";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { TrustSection, TrustStats } from "../components/trust";
import { activity, Block, Count, FoundHash, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";
import { receiptsOf, signalsAbout } from "../record-lists";
import { describeService } from "../social/descriptions";

type Data = {
  service: Shown<ServiceRecord>;
  /** Null if it could not be read. */
  trust: Trust | null;
  activity: Activity;
  list: ListPage;
};

const listsOf = (id: string) => [receiptsOf({ service_id: id }), signalsAbout("service", id)] as const;

const View = ({ data: { service, trust, activity: series, list }, live, parameters }: ViewProps<Data>) => {
  const { service_numeric_id: id } = service;
  const path = links.service(id);
  return (
    <>
      <NamedHeading
        kind="service"
        id={id}
        status={activity(service.active)}
        address={`service-${id}`}
        metadata={service.metadata}
        name={service.service_id}
        byline={
          <>
            Sold by <RecordLink kind="merchant" id={service.merchant_id} />
          </>
        }
      />
      {trust && <TrustStats facts={trust.facts} />}
      <div class="columns even">
        <ActivitySection path={path} parameters={parameters} activity={series} />
        <TrustSection trust={trust} />
      </div>
      <RecordTabs path={path} parameters={parameters} lists={listsOf(id)} page={list} />
      <EventLog title="Recent events of the merchant" live={live} />
      <Technical>
        <Facts
          items={[
            { field: "service_numeric_id", label: "Number", value: <Count value={id} /> },
            { field: "service_id", label: "Id", value: <code class="text">{service.service_id}</code> },
            {
              field: "merchant_id",
              label: "Merchant",
              value: <RecordLink kind="merchant" id={service.merchant_id} />,
            },
            { field: "capability_hash", label: "Capability hash", value: <Hex value={service.capability_hash} full /> },
            { field: "metadata_uri", label: "Metadata URI", value: <Uri value={service.metadata_uri} /> },
            { field: "metadata_hash", label: "Metadata hash", value: <FoundHash value={service.metadata_hash} full /> },
            { field: "block_number", label: "Block", value: <Block value={service.block_number} /> },
          ]}
        />
        <MetadataFacts metadata={service.metadata} api={`/services/${id}`} />
      </Technical>
    </>
  );
};

export const servicePage = page<Data>({
  path: links.service(":id"),
  title: ({ service }) => titleOf("service", service.service_numeric_id, service),
  description: ({ service }, words) => describeService(service, words),
  async load(api, parameters, onFailure) {
    const { id = "" } = parameters;
    const record = await api.services.get.query({ id, include });
    const [trust, series, list] = await Promise.all([
      ifAvailable(api.trust.check.query({ kind: "service", id }), onFailure),
      readActivity(api, "payments", { service_id: id }, parameters, onFailure),
      readTab(api, listsOf(id), parameters),
    ]);
    return { service: withShownMetadata(record), trust, activity: series, list };
  },
  View,
  subscription: ({ service }) => ({ filter: { merchant_id: service.merchant_id } }),
});
