import type { TransactionExplanation } from "../../client/src/api";
import { Facts, Heading, Section } from "../components/blocks";
import { Hex } from "../components/hex";
import { type RecordKind, RecordLink } from "../components/record-link";
import { Account, Count, None, Time } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { shortHex } from "../text/format";

/** A transaction may have thousands of events. */
const SHOWN = 100;

/** The arguments of events that are ids of records. */
const recordIds: Readonly<Record<string, RecordKind>> = {
  agentId: "agent",
  intentId: "intent",
  solverId: "solver",
  attestorId: "attestor",
  attestationId: "attestation",
  merchantId: "merchant",
  serviceNumericId: "service",
  facilitatorId: "facilitator",
  receiptId: "receipt",
  disputeId: "dispute",
};

/** The exact value of an argument, with a link if it is the id of a record. 0 is the id of none. */
function Argument({ name, value }: { name: string; value: string }) {
  const kind = Object.hasOwn(recordIds, name) && value !== "0" ? recordIds[name] : undefined;
  return (
    <>
      <code class="text">{value}</code>
      {kind && (
        <>
          {" "}
          (<RecordLink kind={kind} id={value} />)
        </>
      )}
    </>
  );
}

type Data = TransactionExplanation & { hidden: number };

const TransactionView = ({ data }: ViewProps<Data>) => (
  <>
    <Heading kind="Transaction">
      <Hex value={data.tx_hash} full />
    </Heading>
    <Section title="Summary">
      <Facts
        items={[
          { field: "summary", label: "Content", value: data.summary },
          { field: "status", label: "Status", value: data.status },
          { field: "from", label: "From", value: <Account value={data.from} full /> },
          { field: "to", label: "To", value: data.to === null ? <None /> : <Hex value={data.to} full /> },
          { field: "block_number", label: "Block", value: <Count value={data.block_number} /> },
          { field: "block_timestamp", label: "Time", value: <Time seconds={data.block_timestamp} /> },
        ]}
      />
    </Section>
    {data.events.map(({ eventName, description, args }, index) => (
      <Section key={index} title={`${index + 1}. ${eventName}`} note={description}>
        <Facts
          items={Object.entries(args).map(([name, value]) => ({
            field: name,
            label: name,
            value: <Argument name={name} value={String(value)} />,
          }))}
        />
      </Section>
    ))}
    {data.hidden > 0 && (
      <p>
        <a href={`/tx/${data.tx_hash}/explain`}>{data.hidden} more events of this transaction</a>
      </p>
    )}
  </>
);

export const transactionPage = page<Data>({
  path: links.transaction(":hash"),
  title: ({ tx_hash }) => `Transaction ${shortHex(tx_hash)}`,
  description: ({ summary }) => summary,
  async load({ transactions }, { hash = "" }) {
    const { events, ...explanation } = await transactions.explain.query({ hash });
    return { ...explanation, events: events.slice(0, SHOWN), hidden: Math.max(0, events.length - SHOWN) };
  },
  View: TransactionView,
  // A reorg may remove it.
  subscription: () => ({}),
});
