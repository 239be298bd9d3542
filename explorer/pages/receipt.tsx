import type { Dispute, Quote, Receipt, ReceiptWithEvidence, Settlement } from "../../client/src/api";
import { ActOnReceipt } from "../acting/on-records";
import { Facts, Heading, Section, TableSection, Technical } from "../components/blocks";
import { hashFact, LineTable, PaymentTitle, paymentFacts, technicalPaymentFacts } from "../components/payment";
import { RecordLink } from "../components/record-link";
import { DisputeTable } from "../components/tables";
import { Timeline } from "../components/timeline";
import { Account, DisputeStatus, Kind, None, paymentRails, Status, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { describeReceipt } from "../social/descriptions";

const proofs = {
  settlement: "a settlement on chain",
  facilitator: "a facilitator that is neither party",
  claim: "a party's claim only",
} as const satisfies Record<Receipt["payment_proof"], string>;

type Data = {
  receipt: ReceiptWithEvidence;
  disputes: readonly Dispute[];
  /** Null if it was never committed. */
  quote: Quote | null;
  /** The settlement that proves the payment. */
  settlement: Settlement | null;
};

function stepsOf({ receipt, disputes, quote }: Data) {
  const [dispute] = disputes;
  return [
    {
      name: "Quoted",
      isReached: quote !== null,
      details: quote ? (
        <a href={links.quote(quote.quote_hash)}>
          <Time seconds={quote.committed_at} />
        </a>
      ) : (
        "no quote on chain"
      ),
    },
    {
      name: "Paid",
      isReached: true,
      details: (
        <>
          <Time seconds={receipt.settled_at} /> in <Transaction value={receipt.tx_hash} />
        </>
      ),
    },
    {
      name: "Delivered",
      isReached: receipt.fulfillment_hash !== null,
      details:
        receipt.fulfillment_hash === null ? (
          "not recorded"
        ) : receipt.fulfillment_evidence ? (
          <a href={links.document("fulfillment-evidence", receipt.fulfillment_evidence.evidence_hash)}>
            Evidence of <bdi>{receipt.fulfillment_evidence.evidence_type}</bdi>
          </a>
        ) : (
          "evidence not published here"
        ),
    },
    ...(dispute
      ? [
          {
            name: "Disputed",
            isReached: true,
            details: (
              <>
                <RecordLink kind="dispute" id={dispute.dispute_id} /> <DisputeStatus value={dispute.status} />
              </>
            ),
          },
        ]
      : []),
  ];
}

const View = ({ data }: ViewProps<Data>) => {
  const { receipt, disputes, settlement } = data;
  return (
    <>
      <Heading
        kind={`Receipt #${receipt.receipt_id}`}
        lead={
          <>
            Paid by <Account value={receipt.agent} bare /> by <Kind value={receipt.payment_rail} names={paymentRails} />
            , known by {proofs[receipt.payment_proof]}.
          </>
        }
      >
        <PaymentTitle payment={receipt} />{" "}
        <Status value={receipt.fulfillment_hash === null ? "UNFULFILLED" : "FULFILLED"} />
      </Heading>
      <Timeline steps={stepsOf(data)} />
      <ActOnReceipt receipt={receipt} disputes={disputes} />
      {disputes.length > 0 && (
        <TableSection
          title="Disputes"
          id="disputes"
          Rows={DisputeTable}
          rows={disputes}
          caption="Disputes about this receipt"
        />
      )}
      <Section title="Payment">
        <Facts
          items={[
            ...paymentFacts(receipt),
            {
              field: "payment_proof",
              label: "The payment is known by",
              value: <data value={receipt.payment_proof}>{proofs[receipt.payment_proof]}</data>,
            },
            {
              field: "fulfillment_evidence",
              label: "Evidence of the delivery",
              value: receipt.fulfillment_evidence ? (
                <a href={links.document("fulfillment-evidence", receipt.fulfillment_evidence.evidence_hash)}>
                  <bdi>{receipt.fulfillment_evidence.evidence_type}</bdi>
                </a>
              ) : (
                <None>not published here</None>
              ),
            },
            { field: "settled_at", label: "Settled", value: <Time seconds={receipt.settled_at} full /> },
          ]}
        />
      </Section>
      {settlement && (
        <TableSection
          title="Settlement"
          id="lines"
          Rows={LineTable}
          rows={settlement.lines ?? []}
          caption="Lines of the settlement"
          note={<a href={links.settlement(settlement.execution_hash)}>The settlement that paid it</a>}
        />
      )}
      <Technical>
        <Facts
          items={[
            ...technicalPaymentFacts(receipt),
            hashFact(
              "quote_hash",
              "Quote",
              receipt.quote_hash,
              "",
              data.quote ? links.quote(receipt.quote_hash) : undefined,
            ),
            hashFact(
              "result_hash",
              "Result hash",
              receipt.result_hash,
              "",
              settlement ? links.settlement(receipt.result_hash) : undefined,
            ),
            hashFact("fulfillment_hash", "Fulfilment hash", receipt.fulfillment_hash, "not fulfilled"),
            { field: "tx_hash", label: "Transaction", value: <Transaction value={receipt.tx_hash} full /> },
          ]}
        />
      </Technical>
    </>
  );
};

export const receiptPage = page<Data>({
  path: links.receipt(":id"),
  title: ({ receipt }) => `Receipt #${receipt.receipt_id}`,
  description: ({ receipt }, words) => describeReceipt(receipt, words),
  async load(api, { id = "" }) {
    const [receipt, { disputes }] = await Promise.all([
      api.receipts.get.query({ id }),
      api.disputes.list.query({ receipt_id: id }),
    ]);
    const [quote, settlement] = await Promise.all([
      ifFound(api.quotes.get.query({ quoteHash: receipt.quote_hash })),
      receipt.payment_proof === "settlement"
        ? ifFound(api.settlements.get.query({ executionHash: receipt.result_hash }))
        : null,
    ]);
    return { receipt, disputes, quote, settlement };
  },
  View,
  // Disputes name only their receipt, which no filter covers.
  subscription: () => ({ filter: { contract: "CommerceRegistry" } }),
});
