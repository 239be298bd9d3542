import type { ComponentChildren } from "preact";
import { Empty } from "./blocks";

export type Bar = {
  key: string;
  label: ComponentChildren;
  /** A decimal number of any size. */
  value: string;
  shown: ComponentChildren;
};

const WIDTH = 1000;

const widthOf = (value: string, largest: number) => (largest > 0 ? (Math.max(0, Number(value)) / largest) * WIDTH : 0);

/** Values as horizontal bars. The bars are decoration: every value is also a text. */
export function Bars({ bars, empty }: { bars: readonly Bar[]; empty: string }) {
  if (bars.length === 0) return <Empty title={empty} />;
  const largest = Math.max(...bars.map(({ value }) => Number(value)));
  return (
    <ol class="bars">
      {bars.map(({ key, label, value, shown }) => (
        <li key={key} data-key={key}>
          <span class="bar-label">{label}</span>
          <span class="bar-value">{shown}</span>
          <svg class="bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-fill" width={widthOf(value, largest)} height="8" />
          </svg>
        </li>
      ))}
    </ol>
  );
}
