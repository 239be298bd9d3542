import type {
  Dispute,
  FacilitatorRecord,
  MerchantRecord,
  MerchantReputation,
  Quote,
  Receipt,
  Service,
  ServiceRecord,
  TrustSignal,
} from "../../client/src/api";
import { Facts, Section, TableSection } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataSection, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { RecordLink } from "../components/record-link";
import { DisputeTable, QuoteTable, ReceiptTable, ServiceTable, SignalTable } from "../components/tables";
import { Amount } from "../components/tokens";
import { Account, activity, Count, FoundHash, signalKinds, Uri } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";

const SHOWN = 20;
const MERCHANT_SUBJECT = 0;
const SERVICE_SUBJECT = 1;
const FACILITATOR_SUBJECT = 2;

type MerchantData = {
  merchant: Shown<MerchantRecord>;
  reputation: MerchantReputation;
  services: readonly Service[];
  receipts: readonly Receipt[];
  disputes: readonly Dispute[];
  quotes: readonly Quote[];
  signals: readonly TrustSignal[];
};

/**
 * The token of a merchant's settled volume, which is a sum over tokens: known if the volume is that of the newest receipts, and
 * all of them have the same token.
 */
export function tokenOfVolume(settledVolume: string, receipts: readonly Pick<Receipt, "token" | "amount">[]) {
  const [first] = receipts;
  const sum = receipts.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const isOne = receipts.every(({ token }) => token === first?.token) && String(sum) === settledVolume;
  return isOne ? first?.token : undefined;
}

const SettledVolume = ({ value, receipts }: { value: string; receipts: readonly Receipt[] }) => {
  const token = tokenOfVolume(value, receipts);
  return (
    <>
      <Amount value={value} token={token} full />
      {token === undefined && " in the smallest units of all tokens"}
    </>
  );
};

const SignalSection = ({ about, signals }: { about: string; signals: readonly TrustSignal[] }) => (
  <TableSection
    title="Trust signals"
    id="signals"
    Rows={SignalTable}
    rows={signals}
    caption={`Trust signals about this ${about}`}
  />
);

const Reputation = ({
  reputation: { commerce, disputes, trust_signals_by_kind },
  receipts,
}: Pick<MerchantData, "reputation" | "receipts">) => (
  <Section title="Reputation" id="reputation">
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
        {
          field: "claim_receipts",
          label: "Claimed by a party only",
          value: <Count value={commerce.claim_receipts} />,
        },
        {
          field: "settled_volume",
          label: "Settled volume",
          value: <SettledVolume value={commerce.settled_volume} receipts={receipts} />,
        },
        { field: "disputes", label: "Disputes", value: <Count value={disputes.disputes} /> },
        { field: "open_disputes", label: "Open", value: <Count value={disputes.open_disputes} /> },
        { field: "resolved_disputes", label: "Resolved", value: <Count value={disputes.resolved_disputes} /> },
        { field: "rejected_disputes", label: "Rejected", value: <Count value={disputes.rejected_disputes} /> },
        ...trust_signals_by_kind.map(({ kind, signals }) => ({
          field: `signals_${kind}`,
          label: `Trust signals: ${signalKinds[kind] ?? `kind ${kind}`}`,
          value: <Count value={signals} />,
        })),
      ]}
    />
  </Section>
);

/** The fields that all of them register. */
const registrationFacts = (record: { metadata_uri: string; metadata_hash: string; block_number: string }) => [
  { field: "metadata_uri", label: "Metadata URI", value: <Uri value={record.metadata_uri} /> },
  { field: "metadata_hash", label: "Metadata hash", value: <FoundHash value={record.metadata_hash} full /> },
  { field: "block_number", label: "Block", value: <Count value={record.block_number} /> },
];

const MerchantView = ({ data, live }: ViewProps<MerchantData>) => {
  const { merchant } = data;
  return (
    <>
      <NamedHeading
        kind="merchant"
        id={merchant.merchant_id}
        status={activity(merchant.active)}
        metadata={merchant.metadata}
      />
      <Reputation {...data} />
      <MetadataSection metadata={merchant.metadata} api={`/merchants/${merchant.merchant_id}`} />
      <Section title="Registration">
        <Facts
          items={[
            { field: "owner", label: "Owner", value: <Account value={merchant.owner} full /> },
            { field: "payout_address", label: "Paid out to", value: <Account value={merchant.payout_address} full /> },
            ...registrationFacts(merchant),
          ]}
        />
      </Section>
      <TableSection
        title="Services"
        id="services"
        Rows={ServiceTable}
        rows={data.services}
        caption="Services of this merchant"
      />
      <TableSection
        title="Newest receipts"
        id="receipts"
        Rows={ReceiptTable}
        rows={data.receipts}
        caption="Newest payments to this merchant"
      />
      <TableSection
        title="Newest disputes"
        id="disputes"
        Rows={DisputeTable}
        rows={data.disputes}
        caption="Newest disputes about payments to this merchant"
      />
      <TableSection
        title="Newest quotes"
        id="quotes"
        Rows={QuoteTable}
        rows={data.quotes}
        caption="Newest quotes of this merchant"
      />
      <SignalSection about="merchant" signals={data.signals} />
      <EventLog title="Recent events of this merchant" live={live} />
    </>
  );
};

export const merchantPage = page<MerchantData>({
  path: links.merchant(":id"),
  title: ({ merchant }) => titleOf("merchant", merchant.merchant_id, merchant),
  async load(api, { id = "" }) {
    const [merchant, reputation, { services }, { receipts }, { disputes }, { quotes }, { trust_signals: signals }] =
      await Promise.all([
        api.merchants.get.query({ id, include }),
        api.merchants.reputation.query({ id }),
        api.services.list.query({ merchant_id: id, limit: SHOWN }),
        api.receipts.list.query({ merchant_id: id, limit: SHOWN }),
        api.disputes.list.query({ merchant_id: id, limit: SHOWN }),
        api.quotes.list.query({ merchant_id: id, limit: SHOWN }),
        api.trustSignals.list.query({ subject_type: MERCHANT_SUBJECT, subject_id: id, limit: SHOWN }),
      ]);
    return { merchant: withShownMetadata(merchant), reputation, services, receipts, disputes, quotes, signals };
  },
  View: MerchantView,
  subscription: ({ merchant }) => ({ filter: { merchant_id: merchant.merchant_id } }),
});

type ServiceData = { service: Shown<ServiceRecord>; signals: readonly TrustSignal[] };

const ServiceView = ({ data: { service, signals } }: ViewProps<ServiceData>) => (
  <>
    <NamedHeading
      kind="service"
      id={service.service_numeric_id}
      status={activity(service.active)}
      metadata={service.metadata}
      name={service.service_id}
    />
    <MetadataSection metadata={service.metadata} api={`/services/${service.service_numeric_id}`} />
    <Section title="Registration">
      <Facts
        items={[
          { field: "service_numeric_id", label: "Id", value: <Count value={service.service_numeric_id} /> },
          { field: "service_id", label: "Name on chain", value: <code class="text">{service.service_id}</code> },
          {
            field: "merchant_id",
            label: "Merchant",
            value: <RecordLink kind="merchant" id={service.merchant_id} />,
          },
          { field: "capability_hash", label: "Capability hash", value: <Hex value={service.capability_hash} full /> },
          ...registrationFacts(service),
        ]}
      />
    </Section>
    <SignalSection about="service" signals={signals} />
  </>
);

export const servicePage = page<ServiceData>({
  path: links.service(":id"),
  title: ({ service }) => titleOf("service", service.service_numeric_id, service),
  async load({ services, trustSignals }, { id = "" }) {
    const [service, { trust_signals: signals }] = await Promise.all([
      services.get.query({ id, include }),
      trustSignals.list.query({ subject_type: SERVICE_SUBJECT, subject_id: id, limit: SHOWN }),
    ]);
    return { service: withShownMetadata(service), signals };
  },
  View: ServiceView,
  subscription: ({ service }) => ({ filter: { merchant_id: service.merchant_id } }),
});

type FacilitatorData = { facilitator: Shown<FacilitatorRecord>; signals: readonly TrustSignal[] };

const FacilitatorView = ({ data: { facilitator, signals } }: ViewProps<FacilitatorData>) => (
  <>
    <NamedHeading
      kind="facilitator"
      id={facilitator.facilitator_id}
      status={activity(facilitator.active)}
      metadata={facilitator.metadata}
    />
    <MetadataSection metadata={facilitator.metadata} api={`/facilitators/${facilitator.facilitator_id}`} />
    <Section title="Registration">
      <Facts
        items={[
          { field: "facilitator", label: "Address", value: <Account value={facilitator.facilitator} full /> },
          ...registrationFacts(facilitator),
        ]}
      />
    </Section>
    <SignalSection about="facilitator" signals={signals} />
  </>
);

export const facilitatorPage = page<FacilitatorData>({
  path: links.facilitator(":id"),
  title: ({ facilitator }) => titleOf("facilitator", facilitator.facilitator_id, facilitator),
  async load({ facilitators, trustSignals }, { id = "" }) {
    const [facilitator, { trust_signals: signals }] = await Promise.all([
      facilitators.get.query({ id, include }),
      trustSignals.list.query({ subject_type: FACILITATOR_SUBJECT, subject_id: id, limit: SHOWN }),
    ]);
    return { facilitator: withShownMetadata(facilitator), signals };
  },
  View: FacilitatorView,
  subscription: ({ facilitator }) => ({ filter: { account: facilitator.facilitator } }),
});
