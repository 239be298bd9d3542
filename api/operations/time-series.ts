import { type Interval, intervalSeconds, startOf } from "../../common/rows/interval";
import { activityMetrics, participantKinds } from "../../ponder.schema";
import type { BaseContext } from "../core/context";
import { BadInput } from "../core/errors";
import { address, exactly, id, time } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, decimalText, timeText } from "../core/outputs";
import type { ParticipantKind } from "./rankings/hours";
import {
  isParticipantMetric,
  type Participant,
  readActiveAgents,
  readActivity,
  readDollars,
  readOfParticipant,
  type SeriesQuery,
} from "./rankings/series";

const MAX_POINTS = 1_000n;

/** The number of points if `from` is not given. */
const DEFAULT_POINTS: Readonly<Record<Interval, bigint>> = { hour: 48n, day: 30n, week: 26n };

const intervals = ["hour", "day", "week"] as const satisfies Interval[];

const units = ["raw", "usd"] as const;

/** `active_agents` counts distinct agents, so no row of {@link activityMetrics} can be kept for it. */
const metrics = [...activityMetrics, "active_agents"] as const;

/** The longest range of `active_agents`, for which each hour of each agent is read. */
const MAX_ACTIVE_SECONDS = 31n * intervalSeconds.day;

const TimeSeries = z
  .strictObject({
    metric: z.enum(metrics),
    interval: z.enum(intervals),
    token: addressText.nullable(),
    unit: z.enum(units),
    participant: z
      .strictObject({ kind: z.enum(participantKinds), key: z.string() })
      .nullable()
      .openapi({ description: "The one participant. Null for all.", example: null }),
    from: timeText.openapi({ description: "The start of the first interval, in unix seconds." }),
    to: timeText.openapi({ description: "The end of the last interval, in unix seconds. It is not included." }),
    total: decimalText.openapi({
      description: "The sum of the points, or with active_agents the distinct agents that paid in the whole range.",
    }),
    points: z.array(
      z.strictObject({
        start: timeText.openapi({ description: "The start of the interval, in unix seconds." }),
        value: decimalText,
      }),
    ),
  })
  .openapi("TimeSeries");

/** The metrics that are sums of amounts, so each token has its own. */
const volumes: readonly string[] = activityMetrics.filter((metric) => metric.endsWith("_volume"));

/** The first week of unix time began in 1969, and times are not negative. */
const atLeastZero = (time: bigint) => (time < 0n ? 0n : time);

type Range = { interval: Interval; from: bigint | undefined; to: bigint };

/** The starts of the first interval and of the one after the last. Throws {@link BadInput} for a bad range. */
export function rangeOf({ interval, from, to }: Range): { first: bigint; end: bigint } {
  if (from !== undefined && from > to) throw new BadInput("from: must not be later than to");
  const seconds = intervalSeconds[interval];
  const last = startOf(interval, to);
  const first = from === undefined ? last - (DEFAULT_POINTS[interval] - 1n) * seconds : startOf(interval, from);
  const points = (last - first) / seconds + 1n;
  if (points > MAX_POINTS)
    throw new BadInput(
      `from, to: have ${points} intervals between them, and the limit is ${MAX_POINTS}. Choose a longer interval or a shorter time`,
    );
  return { first: first < 0n ? startOf(interval, 0n) : first, end: last + seconds };
}

const input = z.object({
  metric: exactly(...metrics).openapi({
    description: "active_agents: at most 31 days.",
  }),
  interval: exactly(...intervals),
  from: time.optional(),
  to: time.optional(),
  token: address.optional(),
  unit: exactly(...units)
    .default("raw")
    .openapi({ default: "raw", description: "usd: volumes in dollars, without token of all listed tokens." }),
  merchant_id: id.optional(),
  service_id: id.optional(),
  agent: address.optional(),
  facilitator: address.optional(),
  solver: address.optional(),
});

type Input = z.output<typeof input>;

/** The kinds of participants by the parameter that names one. */
const participants = {
  merchant_id: "merchant",
  service_id: "service",
  agent: "agent",
  facilitator: "facilitator",
  solver: "solver",
} as const satisfies Record<string, ParticipantKind>;

const names = Object.keys(participants) as (keyof typeof participants)[];

const namesIn = (sent: Input) => names.filter((name) => sent[name] !== undefined);

function participantOf(sent: Input): Participant | undefined {
  const [name] = namesIn(sent);
  return name && { kind: participants[name], key: String(sent[name]) };
}

/** The metrics of each kind of participant. */
const metricsOf = (kind: ParticipantKind) =>
  kind === "solver" ? ["bids", "fills", "fill_volume"] : ["receipts", "receipt_volume"];

const inWords = (words: readonly string[]) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

function checkParticipant(sent: Input): void {
  const [name, other] = namesIn(sent);
  if (name === undefined) return;
  if (other) throw new BadInput(`${other}: can't be combined with ${name}. A series is of one participant`);
  const metrics = metricsOf(participants[name]);
  if (!metrics.includes(sent.metric))
    throw new BadInput(`${name}: can't be combined with ${sent.metric}. Only ${inWords(metrics)} are by ${name}`);
}

function checkToken({ config }: BaseContext, { metric, token, unit }: Input): void {
  const isVolume = volumes.includes(metric);
  if (!isVolume && token !== undefined)
    throw new BadInput(`token: can't be combined with ${metric}. Only ${volumes.join(" and ")} are by token`);
  if (!isVolume && unit === "usd")
    throw new BadInput(`unit: can't be usd for ${metric}. Only ${volumes.join(" and ")} have dollars`);
  if (isVolume && unit === "raw" && token === undefined)
    throw new BadInput(
      `token: is required for ${metric}, because amounts of different tokens can't be added. With unit=usd it isn't`,
    );
  if (unit === "usd" && token !== undefined && !config.listed.has(token))
    throw new BadInput("token: is not on the token list of this chain, so it has no dollars. Use unit=raw");
}

async function readPoints({ db, config }: BaseContext, query: Omit<SeriesQuery, "metric">, sent: Input) {
  if (sent.metric === "active_agents") {
    if (query.end - query.first > MAX_ACTIVE_SECONDS)
      throw new BadInput("from, to: have more than 31 days between them, which is the limit for active_agents");
    return readActiveAgents(db, query);
  }
  return readSums({ db, config }, { ...query, metric: sent.metric }, sent);
}

async function readSums({ db, config }: Pick<BaseContext, "db" | "config">, query: SeriesQuery, sent: Input) {
  const participant = participantOf(sent);
  if (sent.unit === "usd") return readDollars(db, config.chainId, query, participant);
  const { metric } = query;
  return participant && isParticipantMetric(metric)
    ? readOfParticipant(db, { ...query, metric }, participant)
    : readActivity(db, query);
}

const getTimeSeries = operation({
  route: "GET /analytics/timeseries",
  summary: "A metric by hour, day or week of UTC.",
  description:
    "Of all, or of one participant. Intervals without activity are zero. Weeks start on Monday. The intervals that contain from and to are the first and the last, and complete.",
  input,
  output: TimeSeries,
  example: { metric: "intents", interval: "day" },
  check(context, sent) {
    checkParticipant(sent);
    checkToken(context, sent);
  },
  dependsOn: ({ unit }) => (unit === "usd" ? ["index", "store", "time"] : ["index", "time"]),
  async run(context, sent) {
    const { metric, interval, from, to, token, unit } = sent;
    if (unit === "usd") await context.store();
    const { first, end } = rangeOf({ interval, from, to: to ?? (await context.clock()).now });
    const tokens = token !== undefined ? [token] : unit === "usd" ? [...context.config.listed.keys()] : [];
    const found = await readPoints(context, { interval, first, end, tokens }, sent);
    const values = new Map<bigint, string>();
    for (let start = first; start < end; start += intervalSeconds[interval]) values.set(start, "0");
    for (const { start, value } of found) values.set(start, value);
    return {
      metric,
      interval,
      token: token ?? null,
      unit,
      participant: participantOf(sent) ?? null,
      from: String(atLeastZero(first)),
      to: String(end),
      total: found[0]?.total ?? "0",
      points: [...values].map(([start, value]) => ({ start: String(atLeastZero(start)), value })),
    };
  },
});

export const timeSeries = { timeseries: getTimeSeries };
