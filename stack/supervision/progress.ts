import { z } from "zod";

const Ready = z.object({
  ready: z.boolean(),
  block_number: z.string().nullable(),
  chain_block_number: z.string().nullable(),
  progress: z.number(),
  eta_seconds: z.number().nullable(),
});

/** The state of a backfill. */
export type Progress = z.infer<typeof Ready> & {
  /** The indexed events; undefined if Ponder does not answer. */
  events: number | undefined;
};

const TIMEOUT_MS = 2_000;

/** The sum of a counter in a text of Prometheus metrics. */
export const sumOf = (metrics: string, counter: string): number =>
  metrics
    .split("\n")
    .filter((line) => line.startsWith(`${counter}{`) || line.startsWith(`${counter} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);

type Addresses = { apiUrl: string; ponderPort: number };

/** Reads the progress from the gateway and the indexer. Undefined if the gateway does not answer. */
export async function readProgress({ apiUrl, ponderPort }: Addresses): Promise<Progress | undefined> {
  const request = (url: string) => fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const [ready, metrics] = await Promise.allSettled([
    request(`${apiUrl}/ready`).then(async (response) => Ready.parse(await response.json())),
    request(`http://127.0.0.1:${ponderPort}/metrics`).then((response) => response.text()),
  ]);
  if (ready.status === "rejected") return undefined;
  const events = metrics.status === "rejected" ? undefined : sumOf(metrics.value, "ponder_indexing_completed_events");
  return { ...ready.value, events };
}

const whole = (number: number | string) => Number(number).toLocaleString("en-US", { maximumFractionDigits: 0 });

/** A duration in its largest two units, such as `2 h 5 min`. */
export function durationText(seconds: number): string {
  const units = [
    { name: "d", size: 86_400 },
    { name: "h", size: 3_600 },
    { name: "min", size: 60 },
    { name: "s", size: 1 },
  ];
  let rest = Math.max(0, Math.round(seconds));
  const parts = units.flatMap(({ name, size }) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}

/**
 * Describes a backfill in one line.
 *
 * @example
 * progressText(now, 5_300) // "42.0 %, block 1,234 of 2,900, 5,300 events/s, 3 min 20 s left"
 */
export function progressText(
  { progress, block_number, chain_block_number, eta_seconds }: Progress,
  eventsPerSecond: number | undefined,
): string {
  const of = chain_block_number === null ? "" : ` of ${whole(chain_block_number)}`;
  return [
    `${(progress * 100).toFixed(1)} %`,
    ...(block_number === null ? [] : [`block ${whole(block_number)}${of}`]),
    ...(eventsPerSecond === undefined ? [] : [`${whole(eventsPerSecond)} events/s`]),
    ...(eta_seconds === null ? [] : [`${durationText(eta_seconds)} left`]),
  ].join(", ");
}

const BAR_WIDTH = 24;

export function progressBar(progress: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, progress)) * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
}

type Watched = {
  read: () => Promise<Progress | undefined>;
  /** Receives each new state. */
  onProgress: (progress: Progress, eventsPerSecond: number | undefined) => void;
  /** Called once the service is ready. */
  onReady: () => void;
  intervalMs: number;
};

/** Reads the progress at an interval until the service is ready. Returns a function that stops it. */
export function watchProgress({ read, onProgress, onReady, intervalMs }: Watched): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let last: { events: number; at: number } | undefined;
  const next = async () => {
    const progress = await read();
    if (isStopped) return;
    if (progress?.ready) return onReady();
    if (progress) {
      const now = Date.now();
      const { events } = progress;
      const rate =
        last && events !== undefined && now > last.at ? ((events - last.events) * 1000) / (now - last.at) : undefined;
      if (events !== undefined) last = { events, at: now };
      onProgress(progress, rate === undefined ? undefined : Math.max(0, rate));
    }
    timer = setTimeout(next, intervalMs);
  };
  timer = setTimeout(next, intervalMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
