import type {
  Agent,
  Attestation,
  Attestor,
  Dispute,
  Facilitator,
  ListedAttestationSchema,
  Merchant,
  Quote,
  Receipt,
  Service,
  Settlement,
  Solver,
  TrustSignal,
} from "../../client/src/api";
import { links } from "../links";
import { percentOf } from "../text/format";
import { type Rows, Table } from "./blocks";
import { Hex } from "./hex";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import {
  Account,
  Active,
  Block,
  Count,
  DisputeStatus,
  FoundHash,
  Kind,
  None,
  paymentRails,
  Status,
  Subject,
  signalKinds,
  Time,
  Uri,
} from "./values";

/** Ids ascend with time. */
const byAge = { descending: "newest", ascending: "oldest" } as const;

/** The share of a solver's selected bids that it filled. */
export const FillRate = ({ solver: { successful_fills, failed_fills } }: { solver: Solver }) => (
  <>{percentOf(successful_fills, String(BigInt(successful_fills) + BigInt(failed_fills))) ?? <None>no fills</None>}</>
);

export const AgentTable = ({ rows, caption, sorting }: Rows<Agent>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ agent_id }) => agent_id}
    empty="No agents."
    columns={[
      { label: "Agent", sort: byAge, cell: ({ agent_id }) => <RecordLink kind="agent" id={agent_id} /> },
      { label: "State", cell: ({ revoked }) => <Status value={revoked ? "REVOKED" : "ACTIVE"} /> },
      { label: "Owner", cell: ({ owner }) => <Account value={owner} /> },
      { label: "Metadata", cell: ({ metadata_uri }) => <Uri value={metadata_uri} short /> },
    ]}
  />
);

export const SolverTable = ({ rows, caption, sorting }: Rows<Solver>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ solver_id }) => solver_id}
    empty="No solvers."
    columns={[
      { label: "Solver", sort: byAge, cell: ({ solver_id }) => <RecordLink kind="solver" id={solver_id} /> },
      { label: "State", cell: ({ active }) => <Active value={active} /> },
      { label: "Operator", cell: ({ operator }) => <Account value={operator} /> },
      { label: "Fills", isNumber: true, cell: ({ fills }) => <Count value={fills} /> },
      { label: "Fill rate", isNumber: true, cell: (solver) => <FillRate solver={solver} /> },
      { label: "Latency in blocks", isNumber: true, cell: ({ avg_latency_blocks }) => avg_latency_blocks },
    ]}
  />
);

export const AttestorTable = ({ rows, caption, sorting }: Rows<Attestor>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ attestor_id }) => attestor_id}
    empty="No attestors."
    columns={[
      {
        label: "Attestor",
        sort: byAge,
        cell: ({ attestor_id }) => <RecordLink kind="attestor" id={attestor_id} />,
      },
      { label: "State", cell: ({ active }) => <Active value={active} /> },
      { label: "Operator", cell: ({ operator }) => <Account value={operator} /> },
      { label: "Attestations", isNumber: true, cell: ({ attestations }) => <Count value={attestations} /> },
      { label: "Revoked", isNumber: true, cell: ({ revoked_attestations }) => <Count value={revoked_attestations} /> },
    ]}
  />
);

export const AttestationTable = ({ rows, caption, sorting, of }: Rows<Attestation>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ attestation_id }) => attestation_id}
    empty="No attestations."
    columns={[
      {
        label: "Attestation",
        sort: byAge,
        cell: ({ attestation_id }) => <RecordLink kind="attestation" id={attestation_id} />,
      },
      { label: "State", cell: ({ revoked }) => <Status value={revoked ? "REVOKED" : "VALID"} /> },
      {
        label: "Schema",
        filter: "schema",
        cell: ({ schema_hash }) => <Hex value={schema_hash} href={links.schema(schema_hash)} />,
      },
      { label: "Subject", filter: "subject", cell: ({ subject }) => <Subject value={subject} /> },
      { label: "Attester", filter: "attester", cell: ({ attester }) => <Account value={attester} /> },
      { label: "Time", cell: ({ timestamp }) => <Time seconds={timestamp} /> },
    ]}
  />
);

export const SchemaTable = ({ rows, caption, sorting }: Rows<ListedAttestationSchema>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ schema_hash }) => schema_hash}
    empty="No schemas."
    columns={[
      { label: "Name", cell: ({ name, schema_hash }) => <a href={links.schema(schema_hash)}>{name}</a> },
      { label: "Description", cell: ({ description }) => description ?? <None /> },
      { label: "Hash", cell: ({ schema_hash }) => <Hex value={schema_hash} /> },
    ]}
  />
);

export const MerchantTable = ({ rows, caption, sorting }: Rows<Merchant>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ merchant_id }) => merchant_id}
    empty="No merchants."
    columns={[
      {
        label: "Merchant",
        sort: byAge,
        cell: ({ merchant_id }) => <RecordLink kind="merchant" id={merchant_id} />,
      },
      { label: "State", cell: ({ active }) => <Active value={active} /> },
      { label: "Owner", cell: ({ owner }) => <Account value={owner} /> },
      { label: "Metadata", cell: ({ metadata_uri }) => <Uri value={metadata_uri} short /> },
    ]}
  />
);

export const ServiceTable = ({ rows, caption, sorting, of }: Rows<Service>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ service_numeric_id }) => service_numeric_id}
    empty="No services."
    columns={[
      {
        label: "Service",
        sort: byAge,
        cell: ({ service_numeric_id, service_id }) => (
          <RecordLink kind="service" id={service_numeric_id} name={service_id} />
        ),
      },
      { label: "State", cell: ({ active }) => <Active value={active} /> },
      {
        label: "Merchant",
        filter: "merchant_id",
        cell: ({ merchant_id }) => <RecordLink kind="merchant" id={merchant_id} />,
      },
      { label: "Capability", cell: ({ capability_hash }) => <Hex value={capability_hash} /> },
    ]}
  />
);

export const FacilitatorTable = ({ rows, caption, sorting }: Rows<Facilitator>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    rowKey={({ facilitator_id }) => facilitator_id}
    empty="No facilitators."
    columns={[
      {
        label: "Facilitator",
        sort: byAge,
        cell: ({ facilitator_id }) => <RecordLink kind="facilitator" id={facilitator_id} />,
      },
      { label: "State", cell: ({ active }) => <Active value={active} /> },
      { label: "Address", cell: ({ facilitator }) => <Account value={facilitator} /> },
    ]}
  />
);

export const QuoteTable = ({ rows, caption, sorting, of }: Rows<Quote>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ quote_hash }) => quote_hash}
    empty="No quotes."
    columns={[
      { label: "Quote", cell: ({ quote_hash }) => <Hex value={quote_hash} href={links.quote(quote_hash)} /> },
      { label: "State", cell: ({ settled }) => <Status value={settled ? "SETTLED" : "UNSETTLED"} /> },
      {
        label: "Merchant",
        filter: "merchant_id",
        cell: ({ merchant_id }) => <RecordLink kind="merchant" id={merchant_id} />,
      },
      { label: "Agent", filter: "agent", cell: ({ agent }) => <Account value={agent} /> },
      {
        label: "Amount",
        isNumber: true,
        cell: ({ amount, token, amount_usd }) => <Amount value={amount} token={token} usd={amount_usd} />,
      },
      { label: "Committed", sort: byAge, cell: ({ committed_at }) => <Time seconds={committed_at} /> },
      { label: "Expires", cell: ({ expires_at }) => <Time seconds={expires_at} isDeadline /> },
    ]}
  />
);

export const ReceiptTable = ({ rows, caption, sorting, of }: Rows<Receipt>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ receipt_id }) => receipt_id}
    empty="No receipts."
    columns={[
      { label: "Receipt", cell: ({ receipt_id }) => <RecordLink kind="receipt" id={receipt_id} /> },
      {
        label: "State",
        cell: ({ fulfillment_hash }) => <Status value={fulfillment_hash === null ? "UNFULFILLED" : "FULFILLED"} />,
      },
      { label: "Agent", filter: "agent", cell: ({ agent }) => <Account value={agent} /> },
      {
        label: "Merchant",
        filter: "merchant_id",
        cell: ({ merchant_id }) => <RecordLink kind="merchant" id={merchant_id} />,
      },
      {
        label: "Amount",
        isNumber: true,
        sort: { descending: "amount" },
        cell: ({ amount, token, amount_usd }) => <Amount value={amount} token={token} usd={amount_usd} />,
      },
      { label: "Rail", cell: ({ payment_rail }) => <Kind value={payment_rail} names={paymentRails} /> },
      { label: "Settled", sort: byAge, cell: ({ settled_at }) => <Time seconds={settled_at} /> },
    ]}
  />
);

export const SettlementTable = ({ rows, caption, sorting, of }: Rows<Settlement>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ execution_hash }) => execution_hash}
    empty="No settlements."
    columns={[
      {
        label: "Settlement",
        cell: ({ execution_hash }) => <Hex value={execution_hash} href={links.settlement(execution_hash)} />,
      },
      // The quote need not exist.
      { label: "Quote", cell: ({ quote_hash }) => <FoundHash value={quote_hash} /> },
      { label: "Paid by", filter: "payer", cell: ({ payer }) => <Account value={payer} /> },
      {
        label: "Amount",
        isNumber: true,
        cell: ({ gross_amount, token, amount_usd }) => <Amount value={gross_amount} token={token} usd={amount_usd} />,
      },
      { label: "Executed", sort: byAge, cell: ({ executed_at }) => <Time seconds={executed_at} /> },
    ]}
  />
);

export const DisputeTable = ({ rows, caption, sorting, of }: Rows<Dispute>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ dispute_id }) => dispute_id}
    empty="No disputes."
    columns={[
      { label: "Dispute", sort: byAge, cell: ({ dispute_id }) => <RecordLink kind="dispute" id={dispute_id} /> },
      { label: "State", cell: ({ status }) => <DisputeStatus value={status} /> },
      {
        label: "Receipt",
        filter: "receipt_id",
        cell: ({ receipt_id }) => <RecordLink kind="receipt" id={receipt_id} />,
      },
      { label: "Opened by", filter: "opener", cell: ({ opener }) => <Account value={opener} /> },
      { label: "Reason", cell: ({ reason_hash }) => <Hex value={reason_hash} /> },
    ]}
  />
);

export const SignalTable = ({ rows, caption, sorting, of }: Rows<TrustSignal>) => (
  <Table
    caption={caption}
    rows={rows}
    sorting={sorting}
    of={of}
    rowKey={({ signal_id }) => signal_id}
    empty="No trust signals."
    columns={[
      { label: "Signal", sort: byAge, cell: ({ signal_id }) => `#${signal_id}` },
      { label: "Kind", cell: ({ kind }) => <Kind value={kind} names={signalKinds} /> },
      { label: "Reporter", filter: "reporter", cell: ({ reporter }) => <Account value={reporter} /> },
      { label: "Hash", cell: ({ signal_hash }) => <Hex value={signal_hash} /> },
      { label: "Block", isNumber: true, cell: ({ block_number }) => <Block value={block_number} /> },
    ]}
  />
);
