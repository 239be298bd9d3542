import type { MerchantRecord, MerchantReputation, Trust } from "../../client/src/api";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Facts, Technical, Unavailable } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { ReputationStats } from "../components/reputation";
import { ScoreSection, TrustSection } from "../components/trust";
import { Account, activity, Block, Count, FoundHash, signalKinds, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";
import { attestationsAbout, disputesOf, quotesOf, receiptsOf, servicesOf, signalsAbout } from "../record-lists";
import { describeMerchant } from "../social/descriptions";

type Data = {
  merchant: Shown<MerchantRecord>;
  /** Null if they could not be read. */
  reputation: MerchantReputation | null;
  trust: Trust | null;
  activity: Activity;
  list: ListPage;
};

const listsOf = ({ merchant_id, owner }: Pick<MerchantRecord, "merchant_id" | "owner">) =>
  [
    receiptsOf({ merchant_id }),
    servicesOf(merchant_id),
    quotesOf({ merchant_id }),
    disputesOf({ merchant_id }),
    attestationsAbout(owner),
    signalsAbout("merchant", merchant_id),
  ] as const;

/** The counts behind the reputation. */
const CommerceFacts = ({
  reputation: { commerce, disputes, trust_signals_by_kind },
}: {
  reputation: MerchantReputation;
}) => (
  <div id="commerce">
    <h3>Commerce</h3>
    <Facts
      items={[
        { field: "receipts", label: "Receipts", value: <Count value={commerce.receipts} /> },
        { field: "fulfilled_receipts", label: "Fulfilled", value: <Count value={commerce.fulfilled_receipts} /> },
        {
          field: "settlement_receipts",
          label: "Paid by a settlement on chain",
          value: <Count value={commerce.settlement_receipts} />,
        },
        {
          field: "facilitator_receipts",
          label: "Recorded by a neutral facilitator",
          value: <Count value={commerce.facilitator_receipts} />,
        },
        { field: "claim_receipts", label: "Claimed by a party only", value: <Count value={commerce.claim_receipts} /> },
        {
          field: "settled_volume",
          label: "Settled volume, in the smallest units of all tokens",
          value: <Count value={commerce.settled_volume} />,
        },
        { field: "disputes", label: "Disputes", value: <Count value={disputes.disputes} /> },
        { field: "open_disputes", label: "Open disputes", value: <Count value={disputes.open_disputes} /> },
        { field: "resolved_disputes", label: "Disputes lost", value: <Count value={disputes.resolved_disputes} /> },
        { field: "rejected_disputes", label: "Disputes won", value: <Count value={disputes.rejected_disputes} /> },
        ...trust_signals_by_kind.map(({ kind, signals }) => ({
          field: `signals_${kind}`,
          label: `Trust signals: ${signalKinds[kind] ?? `kind ${kind}`}`,
          value: <Count value={signals} />,
        })),
      ]}
    />
  </div>
);

const View = ({ data, live, parameters }: ViewProps<Data>) => {
  const { merchant, reputation, trust, activity: series, list } = data;
  const path = links.merchant(merchant.merchant_id);
  return (
    <>
      <NamedHeading
        kind="merchant"
        id={merchant.merchant_id}
        status={activity(merchant.active)}
        address={merchant.owner}
        metadata={merchant.metadata}
        byline={
          <>
            Owned by <Hex value={merchant.owner} bare href={links.account(merchant.owner)} />, paid out to{" "}
            {merchant.payout_address === merchant.owner ? (
              "the same account"
            ) : (
              <Hex value={merchant.payout_address} bare href={links.account(merchant.payout_address)} />
            )}
          </>
        }
      />
      {reputation ? (
        <ReputationStats {...reputation} payments="Payments received" counterparties="Customers" disputes="Disputes" />
      ) : (
        <Unavailable />
      )}
      <ActivitySection path={path} parameters={parameters} activity={series} />
      <div class="columns even">
        <TrustSection trust={trust} />
        {reputation && <ScoreSection {...reputation} />}
      </div>
      <RecordTabs path={path} parameters={parameters} lists={listsOf(merchant)} page={list} />
      <EventLog title="Recent events of this merchant" live={live} />
      <Technical>
        <div id="registration">
          <Facts
            items={[
              { field: "owner", label: "Owner", value: <Account value={merchant.owner} full /> },
              {
                field: "payout_address",
                label: "Paid out to",
                value: <Account value={merchant.payout_address} full />,
              },
              { field: "metadata_uri", label: "Metadata URI", value: <Uri value={merchant.metadata_uri} /> },
              {
                field: "metadata_hash",
                label: "Metadata hash",
                value: <FoundHash value={merchant.metadata_hash} full />,
              },
              { field: "block_number", label: "Block", value: <Block value={merchant.block_number} /> },
            ]}
          />
        </div>
        {reputation && <CommerceFacts reputation={reputation} />}
        <MetadataFacts metadata={merchant.metadata} api={`/merchants/${merchant.merchant_id}`} />
      </Technical>
    </>
  );
};

export const merchantPage = page<Data>({
  path: links.merchant(":id"),
  title: ({ merchant }) => titleOf("merchant", merchant.merchant_id, merchant),
  description: ({ merchant, reputation }) => describeMerchant(merchant, reputation),
  async load(api, parameters, onFailure) {
    const { id = "" } = parameters;
    const [record, reputation, trust, series] = await Promise.all([
      api.merchants.get.query({ id, include }),
      ifAvailable(api.merchants.reputation.query({ id }), onFailure),
      ifAvailable(api.trust.check.query({ kind: "merchant", id }), onFailure),
      readActivity(api, "payments", { merchant_id: id }, parameters, onFailure),
    ]);
    const merchant = withShownMetadata(record);
    const list = await readTab(api, listsOf(merchant), parameters);
    return { merchant, reputation, trust, activity: series, list };
  },
  View,
  subscription: ({ merchant }) => ({ filter: { merchant_id: merchant.merchant_id } }),
});
