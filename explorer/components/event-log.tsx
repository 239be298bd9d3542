import { useState } from "preact/hooks";
import { links } from "../links";
import type { Live, LiveEvent } from "../page";
import { Empty, Section, Unavailable } from "./blocks";
import { Sentence } from "./sentence";
import { Status, Time } from "./values";

const stateOf = ({ isReverted, finality }: LiveEvent) =>
  isReverted ? "REVERTED" : finality === "finalized" ? "FINALIZED" : "PENDING";

/** One event in words. A reverted one is struck through, and says so. */
const Entry = ({ event }: { event: LiveEvent }) => (
  <li class={event.isReverted ? "event reverted" : "event"} data-event={event.id}>
    <span class="event-text">
      <Sentence text={event.summary} />
    </span>{" "}
    <span class="event-facts">
      <Status value={stateOf(event)} />{" "}
      <a href={links.transaction(event.tx_hash)}>
        <Time seconds={event.timestamp} />
      </a>
    </span>
  </li>
);

/** A log that begins with fewer events has a lower box. */
const FEW = 4;

/**
 * The newest events. The box keeps its height, so that arriving events move nothing outside. Screen readers announce new
 * ones.
 */
export function EventLog({ title, live: { events, isInteractive } }: { title: string; live: Live }) {
  const [isLow] = useState((events?.length ?? 0) < FEW);
  return (
    <Section title={title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <div class={isLow ? "events low" : "events"} tabIndex={0} role="log" aria-live="polite" aria-label={title}>
        {events === null && <Unavailable />}
        {events?.length === 0 && <Empty title="No events yet">{isInteractive && "New ones appear here."}</Empty>}
        {events && (
          <ol>
            {events.map((event) => (
              <Entry key={event.id} event={event} />
            ))}
          </ol>
        )}
      </div>
    </Section>
  );
}
