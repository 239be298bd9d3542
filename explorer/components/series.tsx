import type { TimeSeries } from "../../client/src/api";
import { formatDay } from "../../common/format";
import { Section, Table } from "./blocks";
import { Amount, useAmountText, useTokenName } from "./tokens";

const HEIGHT = 100;
const WIDTH_PER_POINT = 10;

/** The metrics with a chart, and their titles. */
const titles = {
  intents: "Intents",
  fills: "Fills",
  disputes: "Disputes",
  fill_volume: "Volume of fills",
  receipt_volume: "Volume of receipts",
} as const;

export type ChartedMetric = keyof typeof titles;

/** A series to show. It is null if it could not be read. */
export type Chart = { metric: ChartedMetric; token?: string | undefined; series: TimeSeries | null };

/** The height of a bar. A value that is not zero stays visible beside a much larger one. */
function heightOf(value: string, largest: bigint): number {
  if (value === "0" || largest === 0n) return 0;
  return Math.max(1, Number((BigInt(value) * BigInt(HEIGHT)) / largest));
}

type BarsProps = { title: string; points: TimeSeries["points"]; text: (value: string) => string };

/** The values as bars. The exact values are the titles of the bars. */
function SeriesBars({ title, points, text }: BarsProps) {
  const largest = points.map(({ value }) => BigInt(value)).reduce((one, other) => (one > other ? one : other), 0n);
  return (
    <svg
      class="series"
      viewBox={`0 0 ${points.length * WIDTH_PER_POINT} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${title} by day. The values are in the table below.`}
    >
      {points.map(({ start, value }, index) => {
        const height = heightOf(value, largest);
        return (
          <g key={start}>
            <title>{`${formatDay(BigInt(start))}: ${text(value)}`}</title>
            <rect class="bar-track" x={index * WIDTH_PER_POINT + 1} width={WIDTH_PER_POINT - 2} height={HEIGHT} />
            <rect
              class="bar-fill"
              x={index * WIDTH_PER_POINT + 1}
              y={HEIGHT - height}
              width={WIDTH_PER_POINT - 2}
              height={height}
            />
          </g>
        );
      })}
    </svg>
  );
}

/** A metric by day, as bars, and as rows of a table that can be opened. */
function SeriesChart({ chart: { metric, token, series } }: { chart: Chart }) {
  const tokenName = useTokenName(token ?? "");
  const text = useAmountText(token);
  const title = token === undefined ? titles[metric] : `${titles[metric]}, ${tokenName}`;
  if (series === null)
    return (
      <Section title={title}>
        <p class="none" data-series={metric}>
          This chart is not available now.
        </p>
      </Section>
    );
  const { points, total } = series;
  return (
    <Section
      title={title}
      note={
        <>
          Last {points.length} days: <Amount value={total} token={token} />
        </>
      }
    >
      <div data-series={metric} data-token={token}>
        <SeriesBars title={title} points={points} text={text} />
        <details>
          <summary>Values by day</summary>
          <Table
            caption={`${title} by day`}
            empty="Every day has zero."
            rows={points.filter(({ value }) => value !== "0")}
            rowKey={({ start }) => start}
            columns={[
              { label: "Day", cell: ({ start }) => formatDay(BigInt(start)) },
              {
                label: "Value",
                isNumber: true,
                cell: ({ value }) => (
                  <data value={value} title={value}>
                    {text(value)}
                  </data>
                ),
              },
            ]}
          />
        </details>
      </div>
    </Section>
  );
}

/** Charts side by side. */
export const Charts = ({ charts }: { charts: readonly Chart[] }) => (
  <div class="columns narrow">
    {charts.map((chart) => (
      <SeriesChart key={`${chart.metric} ${chart.token}`} chart={chart} />
    ))}
  </div>
);
