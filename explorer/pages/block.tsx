import type { StreamedEvent } from "../../client/src/api";
import { Empty, Heading, Section } from "../components/blocks";
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
  return (
    <>
      <Heading
        kind="Block"
        lead={
          first && (
            <>
              <Status value={first.finality} /> Mined <Time seconds={first.timestamp} />, with the hash{" "}
              <Hex value={first.block_hash} />
            </>
          )
        }
      >
        <span data-field="block_number">
          <Count value={number} />
        </span>
      </Heading>
      {first ? (
        <Section
          title="Events"
          note={events.length === SHOWN ? `The newest ${SHOWN}` : `${events.length} of the protocol`}
        >
          <ul class="sentences">
            {[...events].reverse().map(({ id, summary, tx_hash }) => (
              <li key={id} class="event" data-event={id}>
                <span class="event-text">
                  <Sentence text={summary} />
                </span>{" "}
                <span class="event-facts">
                  <Transaction value={tx_hash} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      ) : (
        <EmptyBlock data={data} />
      )}
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
