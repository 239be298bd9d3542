import type { ComponentChildren } from "preact";

export type Step = { name: string; isReached: boolean; details: ComponentChildren };

/** What happens to a record one after the other. */
export const Timeline = ({ steps }: { steps: readonly Step[] }) => (
  <section class="card" aria-label="Timeline">
    <ol class="timeline">
      {steps.map(({ name, isReached, details }) => (
        <li key={name} class={isReached ? "reached" : undefined}>
          <strong>
            {name}
            <span class="visually-hidden">{isReached ? " (reached)" : " (not reached)"}</span>
          </strong>
          <span>{details}</span>
        </li>
      ))}
    </ol>
  </section>
);
