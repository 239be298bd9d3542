import type { Quote, Settlement } from "../../client/src/api";
import { ActOnQuote } from "../acting/on-records";
import { Facts, Heading, Section, TableSection, Technical } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { PaymentTitle, paymentFacts, technicalPaymentFacts } from "../components/payment";
import { SettlementTable } from "../components/tables";
import { Timeline } from "../components/timeline";
import { Account, Count, Status, Time } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { describeQuote } from "../social/descriptions";
import { shortHex } from "../text/format";

type Data = { quote: Quote; settlements: readonly Settlement[] };

const stepsOf = ({ quote, settlements: [settlement] }: Data) => [
  { name: "Committed", isReached: true, details: <Time seconds={quote.committed_at} /> },
  {
    name: "Settled on chain",
    isReached: settlement !== undefined,
    details: settlement ? (
      <a href={links.settlement(settlement.execution_hash)}>
        <Time seconds={settlement.executed_at} />
      </a>
    ) : (
      "no settlement"
    ),
  },
  {
    name: "Receipt recorded",
    isReached: quote.settled,
    details: quote.settled ? (
      "the merchant is paid"
    ) : (
      <>
        the offer ends <Time seconds={quote.expires_at} isDeadline />
      </>
    ),
  },
];

const View = ({ data, live }: ViewProps<Data>) => {
  const { quote, settlements } = data;
  return (
    <>
      <Heading
        kind={
          <>
            Quote <Hex value={quote.quote_hash} />
          </>
        }
        lead={
          <>
            Offered to <Account value={quote.agent} bare />, valid until{" "}
            <Time seconds={quote.expires_at} isDeadline full />.
          </>
        }
      >
        <PaymentTitle payment={quote} /> <Status value={quote.settled ? "SETTLED" : "UNSETTLED"} />
      </Heading>
      <Timeline steps={stepsOf(data)} />
      <ActOnQuote quote={quote} />
      <Section title="Terms">
        <Facts
          items={[
            ...paymentFacts(quote),
            { field: "committed_at", label: "Committed", value: <Time seconds={quote.committed_at} full /> },
            { field: "expires_at", label: "Expires", value: <Time seconds={quote.expires_at} isDeadline full /> },
          ]}
        />
      </Section>
      {settlements.length > 0 && (
        <TableSection
          title="Settlements"
          id="settlements"
          Rows={SettlementTable}
          rows={settlements}
          caption="Settlements that name this quote"
        />
      )}
      <EventLog title="Recent events of the merchant" live={live} />
      <Technical>
        <Facts
          items={[
            { field: "quote_hash", label: "Quote hash", value: <Hex value={quote.quote_hash} full /> },
            ...technicalPaymentFacts(quote),
            { field: "payment_nonce", label: "Payment nonce", value: <Count value={quote.payment_nonce} /> },
            { field: "terms_hash", label: "Terms hash", value: <Hex value={quote.terms_hash} full /> },
            {
              field: "x402_payload_hash",
              label: "x402 payload hash",
              value: <Hex value={quote.x402_payload_hash} full />,
            },
          ]}
        />
      </Technical>
    </>
  );
};

export const quotePage = page<Data>({
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
  View,
  subscription: ({ quote: { merchant_id } }) => ({ filter: { merchant_id } }),
});
