import type { Intent, Receipt } from "../../client/src/api";
import { links } from "../links";
import { Empty } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Status, Time } from "./values";

/** What is swapped for what: what happened if the intent is filled, or else what it asks for. */
export const Trade = ({ intent: { input_token, output_token, fill, ...intent } }: { intent: Intent }) =>
  fill ? (
    <>
      <Amount value={fill.amount_in} token={input_token} usd={fill.amount_in_usd} /> for{" "}
      <Amount value={fill.amount_out} token={output_token} />
    </>
  ) : (
    <>
      <Amount value={intent.amount_in_max} token={input_token} usd={intent.amount_in_usd} /> for at least{" "}
      <Amount value={intent.amount_out_min} token={output_token} />
    </>
  );

/** Intents as sentences. */
export const IntentSentences = ({ rows }: { rows: readonly Intent[] }) =>
  rows.length === 0 ? (
    <Empty title="No intents yet">An intent appears here when an agent submits one to the IntentBook.</Empty>
  ) : (
    <ul class="sentences">
      {rows.map((intent) => (
        <li key={intent.intent_id} data-key={intent.intent_id} class="sentence-row">
          <span>
            <Account value={intent.owner} bare /> {intent.fill ? "sold" : "sells"} <Trade intent={intent} />
          </span>
          <span class="event-facts">
            <Status value={intent.status} />{" "}
            <a href={links.intent(intent.intent_id)}>
              <span class="visually-hidden">Intent #{intent.intent_id}, </span>
              <Time seconds={intent.submitted_at} />
            </a>
          </span>
        </li>
      ))}
    </ul>
  );

/** Receipts as sentences. */
export const ReceiptSentences = ({ rows }: { rows: readonly Receipt[] }) =>
  rows.length === 0 ? (
    <Empty title="No receipts yet">A receipt appears here when an agent pays a merchant.</Empty>
  ) : (
    <ul class="sentences">
      {rows.map(({ receipt_id, agent, merchant_id, service_numeric_id, token, amount, amount_usd, settled_at }) => (
        <li key={receipt_id} data-key={receipt_id} class="sentence-row">
          <span>
            <Account value={agent} bare /> paid <Amount value={amount} token={token} usd={amount_usd} /> to{" "}
            <RecordLink kind="merchant" id={merchant_id} /> for{" "}
            <RecordLink kind="service" id={service_numeric_id} before="service" />
          </span>
          <span class="event-facts">
            <a href={links.receipt(receipt_id)}>
              <span class="visually-hidden">Receipt #{receipt_id}, </span>
              <Time seconds={settled_at} />
            </a>
          </span>
        </li>
      ))}
    </ul>
  );
