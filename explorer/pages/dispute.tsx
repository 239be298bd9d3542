import type { ComponentChildren } from "preact";
import type { Dispute, Merchant, Receipt, StreamedEvent } from "../../client/src/api";
import { ActOnDispute } from "../acting/on-records";
import { Empty, Facts, Heading, Section, Technical } from "../components/blocks";
import { Hex } from "../components/hex";
import { hashFact, PaymentTitle } from "../components/payment";
import { RecordLink } from "../components/record-link";
import { Account, Block, DisputeStatus, Time, Transaction } from "../components/values";
import { type Evidence, readEvidence } from "../evidence";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable, ifFound, type OnFailure, type Reads } from "../reads";
import { describeDispute } from "../social/descriptions";
import { indentedJson } from "../text/indented-json";

/** When something happened on chain. */
type Moment = { timestamp: string; tx_hash: string; by: string | null };

type Data = {
  dispute: Dispute;
  receipt: Receipt | null;
  merchant: Merchant | null;
  /** Null if they did not happen, or are not among the newest events. */
  opened: Moment | null;
  delivered: Moment | null;
  decided: Moment | null;
  claim: Evidence | null;
  delivery: Evidence | null;
  resolution: Evidence | null;
};

/** Who an account is in the payment. */
function roleOf(account: string, { receipt, merchant }: Pick<Data, "receipt" | "merchant">): string {
  if (account === receipt?.agent) return "the buyer";
  if (account === merchant?.owner || account === merchant?.payout_address) return "the merchant";
  return account === receipt?.facilitator ? "the facilitator" : "another account";
}

/** A document as it is published, or the hash of one that is not. */
function Document({ evidence, hash, what }: { evidence: Evidence | null; hash: string; what: string }) {
  if (!evidence)
    return (
      <p class="note">
        {what} <Hex value={hash} /> is not published here: only its hash is on chain.
      </p>
    );
  const document = <a href={links.document(evidence.kind, evidence.hash)}>Document</a>;
  if (evidence.statement !== null)
    return (
      <blockquote>
        <p>
          <bdi>{evidence.statement}</bdi>
        </p>
        <p class="note">{document}, as its publisher wrote it</p>
      </blockquote>
    );
  return (
    <>
      <p class="note">{document}, as its publisher wrote it:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0}>{evidence.isCut ? `${evidence.text}…` : indentedJson(evidence.text)}</pre>
    </>
  );
}

/** A step of the thread: what happened, with the document that belongs to it. */
type Entry = {
  name: string;
  time: string | null;
  status?: string;
  text: ComponentChildren;
  document?: ComponentChildren;
};

function entriesOf(data: Data): Entry[] {
  const { dispute, receipt, opened, delivered, decided } = data;
  const entries: Entry[] = [];
  if (receipt)
    entries.push({
      name: "paid",
      time: receipt.settled_at,
      text: (
        <>
          <Account value={receipt.agent} bare /> paid <PaymentTitle payment={receipt} /> (
          <RecordLink kind="receipt" id={receipt.receipt_id} />)
        </>
      ),
    });
  const delivery: Entry[] = receipt?.fulfillment_hash
    ? [
        {
          name: "delivered",
          time: delivered?.timestamp ?? null,
          text: "The delivery was recorded",
          document: <Document evidence={data.delivery} hash={receipt.fulfillment_hash} what="The evidence" />,
        },
      ]
    : [];
  const claim: Entry = {
    name: "opened",
    time: opened?.timestamp ?? null,
    status: "OPEN",
    text: (
      <>
        <Account value={dispute.opener} bare />, {roleOf(dispute.opener, data)}, opened the dispute
      </>
    ),
    document: <Document evidence={data.claim} hash={dispute.reason_hash} what="The claim" />,
  };
  // Without the time of the delivery, it is taken to be before the dispute.
  const isLate = delivered !== null && opened !== null && BigInt(delivered.timestamp) > BigInt(opened.timestamp);
  entries.push(...(isLate ? [claim, ...delivery] : [...delivery, claim]));
  if (dispute.resolution_hash !== null)
    entries.push({
      name: "decided",
      time: decided?.timestamp ?? null,
      status: dispute.status,
      text: (
        <>
          {decided?.by && (
            <>
              <Account value={decided.by} bare />, {roleOf(decided.by, data)},{" "}
            </>
          )}
          {dispute.status === "RESOLVED" ? "resolved it for the opener" : "rejected the claim"}
        </>
      ),
      document: <Document evidence={data.resolution} hash={dispute.resolution_hash} what="The decision" />,
    });
  return entries;
}

const Thread = ({ entries }: { entries: readonly Entry[] }) => (
  <ol class="thread">
    {entries.map(({ name, time, status, text, document }) => (
      <li key={name} data-entry={name}>
        <p class="sentence-row">
          <span>
            {text} {status && <DisputeStatus value={status} />}
          </span>
          <span>{time === null ? "time unknown" : <Time seconds={time} />}</span>
        </p>
        {document}
      </li>
    ))}
  </ol>
);

const leads = {
  OPEN: "The dispute waits for a decision. Until then it counts against the trust in the merchant.",
  RESOLVED: "The one who opened it won: the dispute counts as lost for the merchant.",
  REJECTED: "The claim was rejected: the dispute counts as lost for the buyer.",
} as const satisfies Record<Dispute["status"], string>;

const View = ({ data }: ViewProps<Data>) => {
  const { dispute, receipt, opened, decided } = data;
  return (
    <>
      <Heading kind={`Dispute #${dispute.dispute_id}`} lead={leads[dispute.status]}>
        {receipt ? (
          <>
            Dispute about <PaymentTitle payment={receipt} />
          </>
        ) : (
          `Dispute #${dispute.dispute_id}`
        )}{" "}
        <DisputeStatus value={dispute.status} />
      </Heading>
      <Section title="What happened" id="thread">
        <Thread entries={entriesOf(data)} />
        {dispute.status === "OPEN" && (
          <Empty title="No decision yet">It appears here when the dispute is resolved or rejected on chain.</Empty>
        )}
      </Section>
      <ActOnDispute dispute={dispute} />
      <Technical>
        <Facts
          items={[
            {
              field: "receipt_id",
              label: "About receipt",
              value: <RecordLink kind="receipt" id={dispute.receipt_id} />,
            },
            { field: "opener", label: "Opened by", value: <Account value={dispute.opener} full /> },
            { field: "reason_hash", label: "Hash of the claim", value: <Hex value={dispute.reason_hash} full /> },
            hashFact("resolution_hash", "Hash of the decision", dispute.resolution_hash, "not resolved"),
            ...(opened
              ? [{ field: "opened_in", label: "Opened in", value: <Transaction value={opened.tx_hash} full /> }]
              : []),
            ...(decided
              ? [{ field: "decided_in", label: "Decided in", value: <Transaction value={decided.tx_hash} full /> }]
              : []),
            { field: "block_number", label: "Block", value: <Block value={dispute.block_number} /> },
          ]}
        />
      </Technical>
    </>
  );
};

type EventInput = Parameters<Reads["events"]["recent"]["query"]>[0];

/** When an event happened, if it is among the newest ones. */
async function readMoment(
  api: Reads,
  input: EventInput,
  isIt: (event: StreamedEvent) => boolean,
  onFailure: OnFailure,
): Promise<Moment | null> {
  const found = await ifAvailable(api.events.recent.query({ ...input, limit: 100 }), onFailure);
  const event = found?.events.find(isIt);
  return event ? { timestamp: event.timestamp, tx_hash: event.tx_hash, by: null } : null;
}

/** Who sent the transaction of an event. */
async function withSender(api: Reads, moment: Moment | null, onFailure: OnFailure): Promise<Moment | null> {
  const explained = moment && (await ifAvailable(api.transactions.explain.query({ hash: moment.tx_hash }), onFailure));
  return moment && { ...moment, by: explained?.from ?? null };
}

export const disputePage = page<Data>({
  path: links.dispute(":id"),
  title: ({ dispute }) => `Dispute #${dispute.dispute_id}`,
  description: ({ dispute }, words) => describeDispute(dispute, words),
  async load(api, { id = "" }, onFailure) {
    const dispute = await api.disputes.get.query({ id });
    const { dispute_id, receipt_id } = dispute;
    const isOpening = (of: StreamedEvent) => of.event === "DisputeOpened" && of.args.disputeId === dispute_id;
    const isDecision = (of: StreamedEvent) => of.event === "DisputeResolved" && of.args.disputeId === dispute_id;
    const isDelivery = (of: StreamedEvent) => of.event === "FulfillmentRecorded" && of.args.receiptId === receipt_id;
    const [receipt, opened, decided, delivered, claim, resolution] = await Promise.all([
      ifFound(api.receipts.get.query({ id: receipt_id })),
      readMoment(api, { name: "DisputeOpened", account: dispute.opener }, isOpening, onFailure),
      readMoment(api, { name: "DisputeResolved" }, isDecision, onFailure),
      readMoment(api, { name: "FulfillmentRecorded" }, isDelivery, onFailure),
      readEvidence(api, dispute.reason_hash, onFailure),
      readEvidence(api, dispute.resolution_hash, onFailure),
    ]);
    const [merchant, delivery, decision] = await Promise.all([
      receipt && ifFound(api.merchants.get.query({ id: receipt.merchant_id })),
      readEvidence(api, receipt?.fulfillment_hash ?? null, onFailure),
      withSender(api, decided, onFailure),
    ]);
    return { dispute, receipt, merchant, opened, delivered, decided: decision, claim, delivery, resolution };
  },
  View,
  subscription: () => ({ filter: { contract: "CommerceRegistry" } }),
});
