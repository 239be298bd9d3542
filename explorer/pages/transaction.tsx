import type { Receipt, Settlement, TransactionExplanation } from "../../client/src/api";
import { Facts, Fold, Heading, Section, TableSection, Technical } from "../components/blocks";
import { CopyButton } from "../components/copy-button";
import { Hex } from "../components/hex";
import { type RecordKind, RecordLink } from "../components/record-link";
import { Sentence } from "../components/sentence";
import { SettledTable } from "../components/settled";
import { ReceiptTable } from "../components/tables";
import { Account, Block, None, Status, Time } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable, ifFound, type OnFailure, type Reads } from "../reads";
import { shortHex } from "../text/format";

/** A transaction may have thousands of events. */
const SHOWN = 100;

/** The settlements, and the receipts, that are read for one transaction. */
const MAX_RECORDS = 10;

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

type Event = TransactionExplanation["events"][number];

type Data = Omit<TransactionExplanation, "events"> & {
  events: readonly Event[];
  hidden: number;
  /** The name of the called contract, if it is one of the protocol. */
  contract: string | null;
  settlements: readonly Settlement[];
  /** Receipts that its events are about, or that its settlements paid. */
  receipts: readonly Receipt[];
};

/** The exact value of an argument, with a link if it is the id of a record. 0 is the id of none. */
function Argument({ name, value }: { name: string; value: string }) {
  const kind = Object.hasOwn(recordIds, name) && value !== "0" ? recordIds[name] : undefined;
  if (/^0x[0-9a-f]{40,}$/.test(value)) return <Hex value={value} full />;
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

const EventEntry = ({ event: { eventName, description, args } }: { event: Event }) => (
  <li data-event={eventName}>
    <Sentence text={description} />
    <Fold title={eventName}>
      <Facts
        items={Object.entries(args).map(([name, value]) => ({
          field: name,
          label: name,
          value: <Argument name={name} value={String(value)} />,
        }))}
      />
    </Fold>
  </li>
);

const Called = ({ to, contract }: Pick<Data, "to" | "contract">) => {
  if (to === null) return <None>a new contract</None>;
  if (contract === null) return <Account value={to} />;
  return (
    <>
      <a href={links.account(to)} title={to}>
        {contract}
      </a>
      <CopyButton text={to} />
    </>
  );
};

const eventsText = (count: number) => (count === 1 ? "1 event" : `${count} events`);

const TransactionView = ({ data }: ViewProps<Data>) => (
  <>
    <Heading
      kind="Transaction"
      lead={
        <>
          Sent by <Account value={data.from} bare /> <Time seconds={data.block_timestamp} /> in block{" "}
          <Block value={data.block_number} />, with {eventsText(data.events.length + data.hidden)} of the protocol.
        </>
      }
    >
      <Hex value={data.tx_hash} /> <Status value={data.status} />
    </Heading>
    <Section title="What happened" id="events">
      <ol class="sentences">
        {data.events.map((event, index) => (
          <EventEntry key={index} event={event} />
        ))}
      </ol>
      {data.hidden > 0 && (
        <p class="more">
          <a href={`/tx/${data.tx_hash}/explain`}>{eventsText(data.hidden)} more of this transaction</a>
        </p>
      )}
    </Section>
    {data.settlements.length > 0 && (
      <TableSection
        title="Settled"
        id="settled"
        Rows={SettledTable}
        rows={data.settlements}
        caption="Lines of the settlements in this transaction"
      />
    )}
    {data.receipts.length > 0 && (
      <TableSection
        title="Receipts"
        id="receipts"
        Rows={ReceiptTable}
        rows={data.receipts}
        caption="Receipts of this transaction"
        note="Recorded, changed or paid here"
      />
    )}
    <Section title="Transaction">
      <Facts
        items={[
          { field: "status", label: "Status", value: <Status value={data.status} /> },
          { field: "from", label: "From", value: <Account value={data.from} /> },
          { field: "to", label: "To", value: <Called to={data.to} contract={data.contract} /> },
          { field: "block_timestamp", label: "Time", value: <Time seconds={data.block_timestamp} full /> },
          { field: "block_number", label: "Block", value: <Block value={data.block_number} /> },
        ]}
      />
    </Section>
    <Technical>
      <Facts
        items={[
          { field: "tx_hash", label: "Hash", value: <Hex value={data.tx_hash} full /> },
          { field: "summary", label: "Content", value: data.summary },
        ]}
      />
    </Technical>
  </>
);

/** The distinct values of an argument in events of a name, or of any. */
const valuesOf = (events: readonly Event[], argument: string, eventName?: string): string[] => {
  const values = events.flatMap((event) => {
    const args: Readonly<Record<string, unknown>> = event.args;
    const value = eventName === undefined || event.eventName === eventName ? args[argument] : undefined;
    return typeof value === "string" ? [value] : [];
  });
  return [...new Set(values)].slice(0, MAX_RECORDS);
};

const isRead = <Value,>(value: Value | null | undefined): value is Value => value != null;

/** The receipt of the quote that a settlement names. The list of receipts has no such filter. */
async function receiptOf(
  { quotes, receipts }: Reads,
  { quote_hash }: Settlement,
  onFailure: OnFailure,
): Promise<Receipt | undefined> {
  const quote = await ifAvailable(ifFound(quotes.get.query({ quoteHash: quote_hash })), onFailure);
  if (!quote?.settled) return undefined;
  const { agent, merchant_id, service_numeric_id: service_id, committed_at } = quote;
  const filter = { agent, merchant_id, service_id, from: committed_at, sort: "oldest", limit: 100 } as const;
  const found = await ifAvailable(receipts.list.query(filter), onFailure);
  return found?.receipts.find((receipt) => receipt.quote_hash === quote_hash);
}

async function load(api: Reads, { hash = "" }: { hash?: string }, onFailure: OnFailure): Promise<Data> {
  const [{ events: all, ...explanation }, protocol] = await Promise.all([
    api.transactions.explain.query({ hash }),
    ifAvailable(api.status.protocol.query(), onFailure),
  ]);
  const events = all.slice(0, SHOWN);
  const [found, named] = await Promise.all([
    Promise.all(
      valuesOf(events, "executionHash", "SettlementExecuted").map((executionHash) =>
        ifAvailable(api.settlements.get.query({ executionHash }), onFailure),
      ),
    ),
    Promise.all(valuesOf(events, "receiptId").map((id) => ifAvailable(api.receipts.get.query({ id }), onFailure))),
  ]);
  const settlements = found.filter(isRead);
  const paid = await Promise.all(settlements.map((settlement) => receiptOf(api, settlement, onFailure)));
  const receipts = new Map([...named, ...paid].filter(isRead).map((receipt) => [receipt.receipt_id, receipt]));
  const [contract = null] =
    Object.entries(protocol?.contracts ?? {}).find(([, address]) => address === explanation.to) ?? [];
  const hidden = all.length - events.length;
  return { ...explanation, events, hidden, contract, settlements, receipts: [...receipts.values()] };
}

export const transactionPage = page<Data>({
  path: links.transaction(":hash"),
  title: ({ tx_hash }) => `Transaction ${shortHex(tx_hash)}`,
  description: ({ summary, events: [first] }) => first?.description ?? summary,
  load,
  View: TransactionView,
  // A reorg may remove it.
  subscription: () => ({}),
});
