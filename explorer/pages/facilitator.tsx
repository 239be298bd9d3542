import type { FacilitatorRecord, Trust } from "../../client/src/api";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Facts, Technical } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { TrustSection, TrustStats } from "../components/trust";
import { Account, activity, Block, FoundHash, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";
import { attestationsAbout, receiptsOf, signalsAbout } from "../record-lists";
import { describeFacilitator } from "../social/descriptions";

type Data = {
  facilitator: Shown<FacilitatorRecord>;
  /** Null if it could not be read. */
  trust: Trust | null;
  activity: Activity;
  list: ListPage;
};

const listsOf = ({ facilitator, facilitator_id }: Pick<FacilitatorRecord, "facilitator" | "facilitator_id">) =>
  [receiptsOf({ facilitator }), attestationsAbout(facilitator), signalsAbout("facilitator", facilitator_id)] as const;

const View = ({ data: { facilitator, trust, activity: series, list }, live, parameters }: ViewProps<Data>) => {
  const path = links.facilitator(facilitator.facilitator_id);
  return (
    <>
      <NamedHeading
        kind="facilitator"
        id={facilitator.facilitator_id}
        status={activity(facilitator.active)}
        address={facilitator.facilitator}
        metadata={facilitator.metadata}
        byline={
          <>
            Records payments as{" "}
            <Hex value={facilitator.facilitator} bare href={links.account(facilitator.facilitator)} />
          </>
        }
      />
      {trust && <TrustStats facts={trust.facts} />}
      <div class="columns even">
        <ActivitySection path={path} parameters={parameters} activity={series} />
        <TrustSection trust={trust} />
      </div>
      <RecordTabs path={path} parameters={parameters} lists={listsOf(facilitator)} page={list} />
      <EventLog title="Recent events of this facilitator" live={live} />
      <Technical>
        <Facts
          items={[
            { field: "facilitator", label: "Address", value: <Account value={facilitator.facilitator} full /> },
            { field: "metadata_uri", label: "Metadata URI", value: <Uri value={facilitator.metadata_uri} /> },
            {
              field: "metadata_hash",
              label: "Metadata hash",
              value: <FoundHash value={facilitator.metadata_hash} full />,
            },
            { field: "block_number", label: "Block", value: <Block value={facilitator.block_number} /> },
          ]}
        />
        <MetadataFacts metadata={facilitator.metadata} api={`/facilitators/${facilitator.facilitator_id}`} />
      </Technical>
    </>
  );
};

export const facilitatorPage = page<Data>({
  path: links.facilitator(":id"),
  title: ({ facilitator }) => titleOf("facilitator", facilitator.facilitator_id, facilitator),
  description: ({ facilitator }) => describeFacilitator(facilitator),
  async load(api, parameters, onFailure) {
    const { id = "" } = parameters;
    const facilitator = withShownMetadata(await api.facilitators.get.query({ id, include }));
    const [trust, series, list] = await Promise.all([
      ifAvailable(api.trust.check.query({ kind: "facilitator", id }), onFailure),
      readActivity(api, "payments", { facilitator: facilitator.facilitator }, parameters, onFailure),
      readTab(api, listsOf(facilitator), parameters),
    ]);
    return { facilitator, trust, activity: series, list };
  },
  View,
  subscription: ({ facilitator }) => ({ filter: { account: facilitator.facilitator } }),
});
