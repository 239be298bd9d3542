import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Histogram, register } from "prom-client";
import "../../api/telemetry/metrics";
import "../../rpc/metrics";
import { projectRoot } from "./files";

const isHistogram = (metric: object) => metric instanceof Histogram;

/** The gateway's metrics, each by one of its series. */
export const gatewayMetrics = (): string[] =>
  register.getMetricsAsArray().map((metric) => (isHistogram(metric) ? `${metric.name}_count` : metric.name));

const gatewaySeries = (): string[] =>
  register.getMetricsAsArray().flatMap((metric) => (isHistogram(metric) ? series(metric.name) : [metric.name]));

/** prom-client's default metrics that the files use. */
const processMetrics = [
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "process_open_fds",
  "process_max_fds",
  "process_start_time_seconds",
  "nodejs_eventloop_lag_p99_seconds",
];

/** Metrics of Prometheus itself, and of its node exporter. */
const otherMetrics = ["up", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"];

const series = (name: string) => [`${name}_bucket`, `${name}_count`, `${name}_sum`];

/** Ponder's metrics, read from its sources. */
function ponderMetrics(): string[] {
  const source = readFileSync(join(projectRoot, "node_modules/ponder/src/internal/metrics.ts"), "utf8");
  const definitions = source.matchAll(/new prometheus\.(\w+)(?:<[^>]*>)?\(\{\s*name: "(\w+)"/g);
  return [...definitions].flatMap(([, type, name = ""]) => (type === "Histogram" ? series(name) : [name]));
}

/** Every series that a query may use. */
export const knownSeries: ReadonlySet<string> = new Set([
  ...gatewaySeries(),
  ...processMetrics,
  ...otherMetrics,
  ...ponderMetrics(),
]);

const WORDS = new Set(["and", "or", "unless", "on", "ignoring", "by", "without", "offset", "bool", "group_left"]);

/** The names of the series in a PromQL query: words that are neither functions, keywords, labels nor durations. */
export function seriesIn(query: string): string[] {
  const withoutLabels = query
    .replaceAll(/\{[^}]*\}/g, "")
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, "")
    .replaceAll(/\boffset \w+/g, "");
  const words = [...withoutLabels.matchAll(/(?<![\w.])([a-z_]\w*)(\s*\()?/gi)];
  return words.flatMap(([, word = "", call]) => (call || WORDS.has(word) ? [] : [word]));
}
