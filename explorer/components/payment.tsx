import type { Quote, Receipt, SettlementLine } from "../../client/src/api";
import { type Rows, Table } from "./blocks";
import { Hex } from "./hex";
import { RecordLink } from "./record-link";
import { Amount, Token } from "./tokens";
import { Account, Block, Count, decimalFact, Kind, None, paymentRails } from "./values";

type Payment = Quote | Receipt;

/** The facilitator of a payment without one. */
const NO_ACCOUNT = `0x${"0".repeat(40)}`;

/** What is paid to whom, for what. */
export const PaymentTitle = ({ payment }: { payment: Payment }) => (
  <>
    <Amount value={payment.amount} token={payment.token} /> to <RecordLink kind="merchant" id={payment.merchant_id} />{" "}
    for <RecordLink kind="service" id={payment.service_numeric_id} before="service" />
  </>
);

/** The terms that a quote and its receipt share. */
export const paymentFacts = (payment: Payment) => [
  { field: "amount", label: "Amount", value: <Amount value={payment.amount} token={payment.token} full /> },
  ...decimalFact("amount_usd", "In dollars", payment.amount_usd, "$"),
  { field: "agent", label: "Paid by", value: <Account value={payment.agent} full /> },
  { field: "merchant_id", label: "Merchant", value: <RecordLink kind="merchant" id={payment.merchant_id} /> },
  {
    field: "service_numeric_id",
    label: "Service",
    value: <RecordLink kind="service" id={payment.service_numeric_id} />,
  },
  { field: "payment_rail", label: "Payment rail", value: <Kind value={payment.payment_rail} names={paymentRails} /> },
  {
    field: "facilitator",
    label: "Facilitator",
    value:
      payment.facilitator === NO_ACCOUNT ? (
        <data value={NO_ACCOUNT}>none</data>
      ) : (
        <Account value={payment.facilitator} full />
      ),
  },
  {
    field: "protocol_fee_amount",
    label: "Protocol fee",
    value: <Amount value={payment.protocol_fee_amount} token={payment.token} full />,
  },
];

/** The fields of both that only developers need. */
export const technicalPaymentFacts = (payment: Payment) => [
  { field: "token", label: "Token", value: <Token value={payment.token} full /> },
  {
    field: "protocol_fee_bps",
    label: "Protocol fee in basis points",
    value: <Count value={payment.protocol_fee_bps} />,
  },
  { field: "resource_hash", label: "Resource hash", value: <Hex value={payment.resource_hash} full /> },
  { field: "block_number", label: "Block", value: <Block value={payment.block_number} /> },
];

/** A hash, or that there is none. */
export const hashFact = (field: string, label: string, value: string | null, none: string, href?: string) => ({
  field,
  label,
  value: value === null ? <None>{none}</None> : <Hex value={value} full href={href} />,
});

/** Whom a settlement pays. */
export const LineTable = ({ rows, caption }: Rows<SettlementLine>) => (
  <Table
    caption={caption}
    rows={rows}
    rowKey={(line) => String(rows.indexOf(line))}
    empty="The lines are unknown: a contract made the call."
    columns={[
      { label: "Recipient", cell: ({ recipient }) => <Account value={recipient} /> },
      { label: "Amount", isNumber: true, cell: ({ amount, token }) => <Amount value={amount} token={token} /> },
      { label: "Kind", isNumber: true, cell: ({ kind }) => <Count value={kind} /> },
      { label: "Metadata hash", cell: ({ metadata_hash }) => <Hex value={metadata_hash} /> },
    ]}
  />
);
