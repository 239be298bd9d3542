import type { Dispute, Quote, Receipt, ReceiptWithEvidence, Settlement } from "../../client/src/api";
import { Facts, Heading, Section, TableSection } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { DisputeTable, SettlementTable } from "../components/tables";
import { Amount, Token } from "../components/tokens";
import { Account, Count, decimalFact, Kind, None, paymentRails, Status, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { describeDispute, describeQuote, describeReceipt } from "../social/descriptions";
import { shortHex } from "../text/format";

/** The fields that a quote and its receipt share. */
const paymentFacts = (payment: Quote | Receipt) => [
  { field: "amount", label: "Amount", value: <Amount value={payment.amount} token={payment.token} full /> },
  ...decimalFact("amount_usd", "In dollars", payment.amount_usd, "$"),
  { field: "token", label: "Token", value: <Token value={payment.token} full /> },
  { field: "agent", label: "Paid by the agent", value: <Account value={payment.agent} full /> },
  {
    field: "merchant_id",
    label: "Merchant",
    value: <RecordLink kind="merchant" id={payment.merchant_id} />,
  },
  {
    field: "service_numeric_id",
    label: "Service",
    value: <RecordLink kind="service" id={payment.service_numeric_id} />,
  },
  { field: "payment_rail", label: "Payment rail", value: <Kind value={payment.payment_rail} names={paymentRails} /> },
  { field: "facilitator", label: "Facilitator", value: <Account value={payment.facilitator} full /> },
  {
    field: "protocol_fee_bps",
    label: "Protocol fee in basis points",
    value: <Count value={payment.protocol_fee_bps} />,
  },
  {
    field: "protocol_fee_amount",
    label: "Protocol fee",
    value: <Amount value={payment.protocol_fee_amount} token={payment.token} full />,
  },
  { field: "resource_hash", label: "Resource hash", value: <Hex value={payment.resource_hash} full /> },
];

type QuoteData = { quote: Quote; settlements: readonly Settlement[] };

const QuoteView = ({ data: { quote, settlements }, live }: ViewProps<QuoteData>) => (
  <>
    <Heading kind="Quote">
      <Hex value={quote.quote_hash} full /> <Status value={quote.settled ? "SETTLED" : "UNSETTLED"} />
    </Heading>
    <Section title="Terms">
      <Facts
        items={[
          ...paymentFacts(quote),
          { field: "expires_at", label: "Expires", value: <Time seconds={quote.expires_at} /> },
          { field: "payment_nonce", label: "Payment nonce", value: <Count value={quote.payment_nonce} /> },
          { field: "terms_hash", label: "Terms hash", value: <Hex value={quote.terms_hash} full /> },
          {
            field: "x402_payload_hash",
            label: "x402 payload hash",
            value: <Hex value={quote.x402_payload_hash} full />,
          },
          { field: "committed_at", label: "Committed", value: <Time seconds={quote.committed_at} /> },
          { field: "block_number", label: "Block", value: <Count value={quote.block_number} /> },
        ]}
      />
    </Section>
    <TableSection
      title="Settlements"
      id="settlements"
      Rows={SettlementTable}
      rows={settlements}
      caption="Settlements that name this quote"
    />
    <EventLog title="Recent events of this merchant" live={live} />
  </>
);

export const quotePage = page<QuoteData>({
  path: links.quote(":hash"),
  title: ({ quote }) => `Quote ${shortHex(quote.quote_hash)}`,
  description: ({ quote }, words) => describeQuote(quote, words),
  async load(api, { hash = "" }) {
    const [quote, { settlements }] = await Promise.all([
      api.quotes.get.query({ quoteHash: hash }),
      api.settlements.list.query({ quote_hash: hash }),
    ]);
    return { quote, settlements };
  },
  View: QuoteView,
  subscription: ({ quote: { merchant_id } }) => ({ filter: { merchant_id } }),
});

const proofs = {
  settlement: "a settlement on chain",
  facilitator: "a facilitator that is neither party",
  claim: "a party's claim only",
} as const satisfies Record<Receipt["payment_proof"], string>;

type ReceiptData = { receipt: ReceiptWithEvidence; disputes: readonly Dispute[] };

const ReceiptView = ({ data: { receipt, disputes } }: ViewProps<ReceiptData>) => (
  <>
    <Heading kind="Receipt">
      Receipt #{receipt.receipt_id} <Status value={receipt.fulfillment_hash === null ? "UNFULFILLED" : "FULFILLED"} />
    </Heading>
    <Section title="Payment">
      <Facts
        items={[
          ...paymentFacts(receipt),
          {
            field: "quote_hash",
            label: "Quote",
            value: <Hex value={receipt.quote_hash} full href={links.quote(receipt.quote_hash)} />,
          },
          { field: "payment_proof", label: "The payment is known by", value: proofs[receipt.payment_proof] },
          {
            field: "result_hash",
            label: "Result hash",
            value:
              receipt.payment_proof === "settlement" ? (
                <Hex value={receipt.result_hash} full href={links.settlement(receipt.result_hash)} />
              ) : (
                <Hex value={receipt.result_hash} full />
              ),
          },
          {
            field: "fulfillment_hash",
            label: "Fulfilment hash",
            value:
              receipt.fulfillment_hash === null ? (
                <None>not fulfilled</None>
              ) : (
                <Hex value={receipt.fulfillment_hash} full />
              ),
          },
          {
            field: "fulfillment_evidence",
            label: "Evidence",
            value: receipt.fulfillment_evidence ? (
              <a href={links.document("fulfillment-evidence", receipt.fulfillment_evidence.evidence_hash)}>
                <bdi>{receipt.fulfillment_evidence.evidence_type}</bdi>
              </a>
            ) : (
              <None>not published here</None>
            ),
          },
          { field: "settled_at", label: "Settled", value: <Time seconds={receipt.settled_at} /> },
          { field: "tx_hash", label: "Transaction", value: <Transaction value={receipt.tx_hash} full /> },
          { field: "block_number", label: "Block", value: <Count value={receipt.block_number} /> },
        ]}
      />
    </Section>
    <TableSection
      title="Disputes"
      id="disputes"
      Rows={DisputeTable}
      rows={disputes}
      caption="Disputes about this receipt"
    />
  </>
);

export const receiptPage = page<ReceiptData>({
  path: links.receipt(":id"),
  title: ({ receipt }) => `Receipt #${receipt.receipt_id}`,
  description: ({ receipt }, words) => describeReceipt(receipt, words),
  async load(api, { id = "" }) {
    const [receipt, { disputes }] = await Promise.all([
      api.receipts.get.query({ id }),
      api.disputes.list.query({ receipt_id: id }),
    ]);
    return { receipt, disputes };
  },
  View: ReceiptView,
  // Disputes name only their receipt, which no filter covers.
  subscription: () => ({ filter: { contract: "CommerceRegistry" } }),
});

const DisputeView = ({ data: dispute }: ViewProps<Dispute>) => (
  <>
    <Heading kind="Dispute">
      Dispute #{dispute.dispute_id} <Status value={dispute.status} />
    </Heading>
    <Section title="Dispute">
      <Facts
        items={[
          {
            field: "receipt_id",
            label: "About receipt",
            value: <RecordLink kind="receipt" id={dispute.receipt_id} />,
          },
          { field: "opener", label: "Opened by", value: <Account value={dispute.opener} full /> },
          { field: "reason_hash", label: "Reason hash", value: <Hex value={dispute.reason_hash} full /> },
          {
            field: "resolution_hash",
            label: "Resolution hash",
            value:
              dispute.resolution_hash === null ? (
                <None>not resolved</None>
              ) : (
                <Hex value={dispute.resolution_hash} full />
              ),
          },
          { field: "block_number", label: "Block", value: <Count value={dispute.block_number} /> },
        ]}
      />
    </Section>
  </>
);

export const disputePage = page<Dispute>({
  path: links.dispute(":id"),
  title: ({ dispute_id }) => `Dispute #${dispute_id}`,
  description: describeDispute,
  load: ({ disputes }, { id = "" }) => disputes.get.query({ id }),
  View: DisputeView,
  subscription: () => ({ filter: { contract: "CommerceRegistry" } }),
});
