import type { StreamedEvent } from "../../client/src/api";
import { Empty, Heading, Section, Stats } from "../components/blocks";
import { Hex } from "../components/hex";
import { Sentence } from "../components/sentence";
import { Count, Status, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";

/** A block may have thousands of events. */
const SHOWN = 100;

type Data = {
  number: string;
  /** Newest first. */
  events: readonly StreamedEvent[];
  /** The newest indexed block. */
  head: string | null;
};

/** The events by transaction, in the order of the block. */
const byTransaction = (events: readonly StreamedEvent[]): [string, StreamedEvent[]][] => {
  const groups = new Map<string, StreamedEvent[]>();
  for (const event of [...events].reverse()) groups.set(event.tx_hash, [...(groups.get(event.tx_hash) ?? []), event]);
  return [...groups];
};

const isIndexed = ({ number, head }: Data) => head !== null && BigInt(number) <= BigInt(head);

const EmptyBlock = ({ data }: { data: Data }) => (
  <Section title="Events">
    {isIndexed(data) ? (
      <Empty title="No events of the protocol in this block">Most blocks have none.</Empty>
    ) : (
      <Empty title="Not indexed yet">
        {data.head === null ? (
          "No block is indexed."
        ) : (
          <>
            The newest indexed block is <a href={links.block(data.head)}>{data.head}</a>.
          </>
        )}
      </Empty>
    )}
  </Section>
);

const Neighbors = ({ data: { number, head } }: { data: Data }) => (
  <nav class="pages" aria-label="Other blocks">
    {number !== "0" && <a href={links.block(String(BigInt(number) - 1n))}>Block before</a>}
    {head !== null && BigInt(number) < BigInt(head) && (
      <a href={links.block(String(BigInt(number) + 1n))}>Block after</a>
    )}
  </nav>
);

function View({ data }: ViewProps<Data>) {
  const { number, events } = data;
  const [first] = events;
  const transactions = byTransaction(events);
  return (
    <>
      <Heading
        kind="Block"
        lead={
          first && (
            <>
              Mined <Time seconds={first.timestamp} />, with the hash <Hex value={first.block_hash} />.{" "}
              <Status value={first.finality} />
            </>
          )
        }
      >
        <Count value={number} />
      </Heading>
      {first ? (
        <Stats
          items={[
            {
              field: "events",
              label: "Events of the protocol",
              value: `${events.length}${events.length === SHOWN ? "+" : ""}`,
            },
            { field: "transactions", label: "Transactions with events", value: <Count value={transactions.length} /> },
          ]}
        />
      ) : (
        <EmptyBlock data={data} />
      )}
      {transactions.map(([hash, group]) => (
        <Section key={hash} title="Transaction" note={<Transaction value={hash} />}>
          <ul class="sentences">
            {group.map(({ id, summary }) => (
              <li key={id} data-event={id}>
                <Sentence text={summary} />
              </li>
            ))}
          </ul>
        </Section>
      ))}
      {events.length === SHOWN && <p>The newest {SHOWN} events are shown.</p>}
      <Neighbors data={data} />
    </>
  );
}

export const blockPage = page<Data>({
  path: links.block(":number"),
  title: ({ number }) => `Block ${number}`,
  description: ({ number, events }) =>
    events.length === 0 ? `Block ${number} has no events.` : events.map(({ summary }) => summary).join(" "),
  async load({ events, status }, { number = "" }) {
    const [recent, { block_number }] = await Promise.all([
      events.recent.query({ block_number: number, limit: SHOWN }),
      status.ready.query(),
    ]);
    return { number: BigInt(number).toString(), events: recent.events, head: block_number };
  },
  View,
  status: (data) => (data.events.length > 0 || isIndexed(data) ? 200 : 404),
  // A reorg may replace it.
  subscription: () => ({}),
});
