import type { Chart, ChartedMetric } from "./components/series";
import { ifAvailable, type OnFailure, type Reads } from "./reads";

/** Reads a metric by day. A chart that can't be read is shown as such, and the others remain. */
async function readChart(api: Reads, metric: ChartedMetric, token: string | undefined, onFailure: OnFailure) {
  const input = { metric, interval: "day" as const, ...(token !== undefined && { token }) };
  const series = await ifAvailable(api.analytics.timeseries.query(input), onFailure);
  return { metric, token, series };
}

/** Reads counts by day. */
export const readCounts = (api: Reads, metrics: readonly ChartedMetric[], onFailure: OnFailure): Promise<Chart[]> =>
  Promise.all(metrics.map((metric) => readChart(api, metric, undefined, onFailure)));

/** Reads the volumes of tokens by day. */
export const readVolumes = (api: Reads, tokens: readonly string[], onFailure: OnFailure): Promise<Chart[]> =>
  Promise.all(
    tokens.flatMap((token) =>
      (["fill_volume", "receipt_volume"] as const).map((metric) => readChart(api, metric, token, onFailure)),
    ),
  );
