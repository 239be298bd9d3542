type Slice = { label: string; value: number; shown: string };

/** The last slice stands for all others. */
const MAX_SLICES = 8;

/** Groups small values, so that every slice has a color of its own. */
function groupSmall(slices: readonly Slice[]): readonly Slice[] {
  if (slices.length <= MAX_SLICES) return slices;
  const rest = slices.slice(MAX_SLICES - 1);
  const value = rest.reduce((sum, slice) => sum + slice.value, 0);
  return [...slices.slice(0, MAX_SLICES - 1), { label: `${rest.length} others`, value, shown: value.toFixed(2) }];
}

/** Shares of a sum as a ring, largest first, with a legend that has the same values as text. */
export function Donut({ slices, title }: { slices: readonly Slice[]; title: string }) {
  const shown = groupSmall([...slices].filter(({ value }) => value > 0).sort((one, other) => other.value - one.value));
  const sum = shown.reduce((total, { value }) => total + value, 0);
  if (sum === 0) return null;
  let start = 0;
  return (
    <div class="donut">
      <svg viewBox="0 0 42 42" role="img" aria-label={title}>
        {shown.map(({ label, value }, index) => {
          const share = (value / sum) * 100;
          const offset = 25 - start;
          start += share;
          return (
            <circle
              key={label}
              class={`slice slice-${index}`}
              cx="21"
              cy="21"
              r="15.5"
              pathLength={100}
              stroke-dasharray={`${share} ${100 - share}`}
              stroke-dashoffset={offset}
            />
          );
        })}
      </svg>
      <ul class="sentences">
        {shown.map(({ label, value, shown: text }, index) => (
          <li key={label}>
            <svg class="key" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect class={`slice slice-${index}`} width="10" height="10" />
            </svg>{" "}
            {label}: {text} USD, {((value / sum) * 100).toFixed(1)} %
          </li>
        ))}
      </ul>
    </div>
  );
}
