import { useContext } from "preact/hooks";
import type { AgentRecord, CompetingBid, Competition, Dispute, Intent, Quote, Receipt } from "../../client/src/api";
import { Act } from "../components/act";
import { NowContext } from "../components/clock";
import { useAmountText, useTokenName } from "../components/tokens";
import { shortHex } from "../text/format";
import type { Offer } from "./offer";

// What people can do with each kind of record, as long as its state allows it.

type OnIntent = { intent: Intent; bids: readonly CompetingBid[]; winner: Competition["winner"] };

/** The id of a bid within its intent. */
const idOnChain = ({ bid_id }: CompetingBid) => bid_id.slice(bid_id.indexOf("-") + 1);

export function ActOnIntent({ intent, bids, winner }: OnIntent) {
  const { intent_id, owner, status, output_token } = intent;
  const amountText = useAmountText(output_token);
  const symbol = useTokenName(output_token);
  if (status !== "OPEN") return <Act offers={[]} />;
  const input = { intent_id };
  const selectable = bids.filter((bid) => bid.source === "onchain" && bid.status === "OPEN");
  const bid: Offer = {
    name: "submitBid",
    label: "Bid",
    note: "As a solver, offer to fill this intent with all that it gives.",
    input,
    fields: [
      {
        kind: "amount",
        name: "amount_out",
        label: "You pay",
        token: output_token,
        hint: `At least ${amountText(intent.amount_out_min)}.`,
      },
      {
        kind: "line",
        name: "valid_until",
        label: "Valid for",
        hint: "Such as 30m. Empty: until the intent ends.",
        isOptional: true,
      },
    ],
  };
  const select: Offer = {
    name: "selectBid",
    label: "Select a bid",
    note: `The owner ${owner} chooses the solver that fills it.`,
    input,
    fields: [
      {
        kind: "choice",
        name: "bid_id",
        label: "Bid, best first",
        options: selectable.map((one) => ({
          value: idOnChain(one),
          text: `Bid ${idOnChain(one)}: ${amountText(one.amount_out)} ${symbol} of ${shortHex(one.solver)}`,
        })),
      },
    ],
  };
  const fill: Offer = {
    name: "fillIntent",
    label: "Fill",
    note: `The selected solver ${winner?.solver} records the fill, with the amounts of its bid.`,
    input,
    fields: [],
  };
  const cancel: Offer = {
    name: "cancelIntent",
    label: "Cancel",
    note: `The owner ${owner} withdraws the intent.`,
    input,
    fields: [],
  };
  return (
    <Act offers={[bid, ...(selectable.length > 0 ? [select] : []), ...(winner?.is_selected ? [fill] : []), cancel]} />
  );
}

/** The rails on which the facilitator records the receipt. */
const needsFacilitator = ({ payment_rail }: Quote) => payment_rail >= 2;

export function ActOnQuote({ quote }: { quote: Quote }) {
  const now = useContext(NowContext);
  if (quote.settled || BigInt(quote.expires_at) < BigInt(now)) return <Act offers={[]} />;
  const input = { quote_hash: quote.quote_hash };
  return (
    <Act
      offers={[
        { name: "payQuote", label: "Pay", note: `The buyer ${quote.agent} pays the quote.`, input, fields: [] },
        {
          name: "recordReceipt",
          label: "Record receipt",
          note: needsFacilitator(quote)
            ? `The facilitator ${quote.facilitator} records that the quote is paid.`
            : `The merchant or the buyer ${quote.agent} records that the quote is paid.`,
          input,
          fields: [
            {
              kind: "line",
              name: "result_hash",
              label: "Proof of the payment",
              hint: "The hash of the transaction that paid it, or the execution hash of a settlement.",
            },
          ],
        },
      ]}
    />
  );
}

type OnReceipt = { receipt: Pick<Receipt, "receipt_id" | "fulfillment_hash" | "agent">; disputes: readonly Dispute[] };

export function ActOnReceipt({ receipt: { receipt_id, fulfillment_hash, agent }, disputes }: OnReceipt) {
  const input = { receipt_id };
  const dispute: Offer = {
    name: "openDispute",
    label: "Dispute",
    note: `The buyer ${agent} or the merchant complains. The merchant decides.`,
    input,
    fields: [{ kind: "text", name: "reason", label: "Reason", hint: "It is published as soon as you prepare." }],
  };
  const fulfillment: Offer = {
    name: "recordFulfillment",
    label: "Record fulfillment",
    note: "The merchant or the facilitator of the receipt records that it has delivered.",
    input,
    fields: [
      {
        kind: "text",
        name: "evidence",
        property: "note",
        label: "What was delivered",
        hint: "It is published as evidence as soon as you prepare.",
      },
    ],
  };
  return (
    <Act
      offers={[
        ...(fulfillment_hash === null ? [fulfillment] : []),
        ...(disputes.some(({ status }) => status === "OPEN") ? [] : [dispute]),
      ]}
    />
  );
}

export function ActOnDispute({ dispute: { dispute_id, status } }: { dispute: Dispute }) {
  const decision = (outcome: "resolved" | "rejected", label: string, note: string): Offer => ({
    name: "resolveDispute",
    label,
    note,
    input: { dispute_id, outcome },
    fields: [{ kind: "text", name: "resolution", label: "Reason", hint: "It is published as soon as you prepare." }],
  });
  const offers = [
    decision("resolved", "Resolve", "The merchant decides that the complaint is right."),
    decision("rejected", "Reject", "The merchant decides that the complaint is wrong."),
  ];
  return <Act offers={status === "OPEN" ? offers : []} />;
}

type OnAgent = { agent: Pick<AgentRecord, "agent_id" | "owner" | "revoked"> };

export function ActOnAgent({ agent: { agent_id, owner, revoked } }: OnAgent) {
  const revoke: Offer = {
    name: "revokeAgent",
    label: "Revoke",
    note: `The owner ${owner} revokes the agent for good.`,
    input: { agent_id },
    fields: [],
  };
  return <Act offers={revoked ? [] : [revoke]} />;
}
