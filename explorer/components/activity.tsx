import type { Api, TimeSeries } from "../../client/src/api";
import { groupDigits } from "../../common/format";
import { withQuery } from "../links";
import type { Parameters } from "../page";
import { ifAvailable, type OnFailure, type Reads } from "../reads";
import { shortDollars } from "../text/short-number";
import { Section, Segments, selectedTab, Unavailable } from "./blocks";
import { Chart } from "./chart";

type Input = Api["analytics"]["timeseries"]["query"] extends (input: infer Sent) => unknown ? Sent : never;

/** What a series is about: one participant, or one token. */
type Subject = Pick<Input, "merchant_id" | "service_id" | "agent" | "facilitator" | "solver" | "token">;

type Metric = { name: string; title: string; input: Pick<Input, "metric" | "unit"> };

/** The metrics of solvers, and of those who pay and are paid. */
const metrics = {
  trades: [
    { name: "volume", title: "Volume", input: { metric: "fill_volume", unit: "usd" } },
    { name: "fills", title: "Fills", input: { metric: "fills" } },
    { name: "bids", title: "Bids", input: { metric: "bids" } },
  ],
  payments: [
    { name: "volume", title: "Volume", input: { metric: "receipt_volume", unit: "usd" } },
    { name: "receipts", title: "Receipts", input: { metric: "receipts" } },
  ],
} as const satisfies Record<string, readonly Metric[]>;

type Kind = keyof typeof metrics;

const ranges = ["day", "hour"] as const;
const rangeTitles = { day: "30 days", hour: "48 hours" } as const;

/** The chart of a page: the selected metric by the selected interval. */
export type Activity = { kind: Kind; series: TimeSeries | null };

const metricIn = (kind: Kind, { metric }: Parameters): Metric =>
  metrics[kind].find(({ name }) => name === metric) ?? metrics[kind][0];

const rangeIn = ({ range }: Parameters) => selectedTab(ranges, range);

/** Reads the selected series of a participant. */
export async function readActivity(
  api: Reads,
  kind: Kind,
  subject: Subject,
  parameters: Parameters,
  onFailure: OnFailure,
): Promise<Activity> {
  const { input } = metricIn(kind, parameters);
  const sent = { ...subject, ...input, interval: rangeIn(parameters) };
  return { kind, series: await ifAvailable(api.analytics.timeseries.query(sent), onFailure) };
}

type Props = { path: string; parameters: Parameters; activity: Activity };

/** The numbers of a participant over time. */
export function ActivitySection({ path, parameters, activity: { kind, series } }: Props) {
  const { tab, metric, range } = parameters;
  const current = metricIn(kind, parameters);
  const href = (changes: Readonly<Record<string, string | undefined>>) =>
    withQuery(path, { tab, metric, range, ...changes });
  const isDollars = current.input.unit === "usd";
  return (
    <Section
      title="Activity"
      id="activity"
      note={
        <div class="controls">
          <Segments
            label="Number"
            segments={metrics[kind].map(({ name, title }, index) => ({
              title,
              href: href({ metric: index === 0 ? undefined : name }),
              isCurrent: name === current.name,
            }))}
          />
          <Segments
            label="Time"
            segments={ranges.map((name) => ({
              title: rangeTitles[name],
              href: href({ range: name === "day" ? undefined : name }),
              isCurrent: name === rangeIn(parameters),
            }))}
          />
        </div>
      }
    >
      {series === null ? (
        <Unavailable />
      ) : (
        <div data-series={series.metric}>
          <p class="sum">
            <data value={series.total}>{isDollars ? shortDollars(series.total) : groupDigits(series.total)}</data>{" "}
            <span class="unit">in {rangeTitles[rangeIn(parameters)]}</span>
          </p>
          <Chart
            title={`${current.title} by ${rangeIn(parameters)}`}
            points={series.points}
            interval={rangeIn(parameters)}
            text={isDollars ? shortDollars : groupDigits}
            {...(isDollars && { tick: shortDollars })}
            small
          />
        </div>
      )}
    </Section>
  );
}
