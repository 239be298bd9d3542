import type { ComponentChildren } from "preact";

type Bar = { key: string; label: ComponentChildren; value: string; shown: ComponentChildren };

const WIDTH = 1000;

/** A share of the largest value, from 0 to {@link WIDTH}. Values may exceed what a number can hold. */
const widthOf = (value: string, largest: bigint) =>
  largest === 0n ? 0 : Number((BigInt(value) * BigInt(WIDTH)) / largest);

/** Values as horizontal bars. The bars are decoration: every value is also a text. */
export function Bars({ bars, empty }: { bars: readonly Bar[]; empty: string }) {
  if (bars.length === 0) return <p class="none">{empty}</p>;
  const largest = bars.map(({ value }) => BigInt(value)).reduce((one, other) => (one > other ? one : other), 0n);
  return (
    <ul class="bars">
      {bars.map(({ key, label, value, shown }) => (
        <li key={key}>
          <span class="bar-label">{label}</span>
          <span class="bar-value">{shown}</span>
          <svg class="bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar-track" width={WIDTH} height="8" />
            <rect class="bar-fill" width={widthOf(value, largest)} height="8" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
