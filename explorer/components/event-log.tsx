import { links } from "../links";
import type { Live, LiveEvent } from "../page";
import { Section, Unavailable } from "./blocks";
import { Status, Time } from "./values";

const stateOf = ({ isReverted, finality }: LiveEvent) =>
  isReverted ? "REVERTED" : finality === "finalized" ? "FINALIZED" : "PENDING";

/** One event in words. A reverted one is struck through, and says so. */
const Entry = ({ event }: { event: LiveEvent }) => (
  <li class={event.isReverted ? "event reverted" : "event"} data-event={event.id}>
    <span class="event-text">
      <a href={links.transaction(event.tx_hash)}>{event.summary}</a>
    </span>
    <span class="event-facts">
      <Status value={stateOf(event)} /> block {event.block_number} · <Time seconds={event.timestamp} />
    </span>
  </li>
);

/**
 * The newest events. The box has a fixed height, so that arriving events move nothing outside. Screen readers announce new
 * ones.
 */
export const EventLog = ({ title, live: { events, isInteractive } }: { title: string; live: Live }) => (
  <Section title={title}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
    <div class="events" tabIndex={0} role="log" aria-live="polite" aria-label={title}>
      {events === null && <Unavailable />}
      {events?.length === 0 && <p class="none">No events yet.{isInteractive && " New ones appear here."}</p>}
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
