import { dollarText } from "./dollars";
import { dollarsAt, type Market, sum } from "./market";

/** Something that a series counts: its time, token and amount. */
type Counted = { time: bigint; token: string; amount: bigint };

export const participantParameters = ["merchant_id", "service_id", "agent", "facilitator", "solver"] as const;
type ParticipantParameter = (typeof participantParameters)[number];

const kinds = {
  merchant_id: "merchant",
  service_id: "service",
  agent: "agent",
  facilitator: "facilitator",
  solver: "solver",
} as const;

export type SeriesRequest = {
  metric: string;
  interval: "hour" | "day" | "week";
  unit: "raw" | "usd";
  token?: string;
  participant?: { parameter: ParticipantParameter; key: string };
  from: bigint;
  to: bigint;
};

/** The first second of the interval of a time, by the calendar. */
function startOf(interval: SeriesRequest["interval"], time: bigint): bigint {
  const date = new Date(Number(time) * 1000);
  if (interval === "hour") return time - (time % 3_600n);
  const days = interval === "week" ? (date.getUTCDay() + 6) % 7 : 0;
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - days) / 1000);
}

const seconds = { hour: 3_600n, day: 86_400n, week: 604_800n } as const;

/** What a metric counts. Amounts of counts are 1. */
function countedBy({ facts }: Market, { metric, participant }: SeriesRequest): Counted[] {
  const isOf = (one: object, name: string) =>
    !participant || String(Object.entries(one).find(([key]) => key === name)?.[1]) === participant.key;
  const receiptKey = {
    merchant_id: "merchantId",
    service_id: "serviceNumericId",
    agent: "agent",
    facilitator: "facilitator",
    solver: "",
  };
  const receipts = facts.receipts.filter((one) => isOf(one, receiptKey[participant?.parameter ?? "solver"]));
  const fills = facts.fills.filter((one) => isOf(one, "solver"));
  const bids = facts.bids.filter((one) => isOf(one, "solver"));
  const none = { token: "", amount: 1n };
  switch (metric) {
    case "receipts":
      return receipts.map(({ time }) => ({ time, ...none }));
    case "receipt_volume":
      return receipts;
    case "bids":
      return bids.map(({ time }) => ({ time, ...none }));
    case "fills":
      return fills.map(({ time }) => ({ time, ...none }));
    case "fill_volume":
      return fills.map(({ time, inputToken, amountIn }) => ({ time, token: inputToken, amount: amountIn }));
    default:
      throw new Error(`No model of ${metric}`);
  }
}

/** GET /analytics/timeseries */
export function expectedSeries(market: Market, request: SeriesRequest) {
  const { metric, interval, unit, token, participant, from, to } = request;
  const [first, end] = [startOf(interval, from), startOf(interval, to) + seconds[interval]];
  const counted = countedBy(market, request).filter(
    (one) => one.time >= first && one.time < end && (token === undefined || one.token === token),
  );
  const totalOf = (of: readonly Counted[]) =>
    unit === "usd"
      ? dollarText(sum(of.map((one) => dollarsAt(market, one.token, one.amount, one.time))))
      : String(sum(of.map(({ amount }) => amount)));
  const points = [];
  for (let start = first; start < end; start += seconds[interval])
    points.push({
      start: String(start),
      value: totalOf(counted.filter(({ time }) => time >= start && time < start + seconds[interval])),
    });
  return {
    metric,
    interval,
    token: token ?? null,
    unit,
    participant: participant ? { kind: kinds[participant.parameter], key: participant.key } : null,
    from: String(first),
    to: String(end),
    total: totalOf(counted),
    points,
  };
}

/** The query of a request. */
export const seriesQuery = ({ metric, interval, unit, token, participant, from, to }: SeriesRequest) =>
  new URLSearchParams({
    metric,
    interval,
    unit,
    from: String(from),
    to: String(to),
    ...(token !== undefined && { token }),
    ...(participant && { [participant.parameter]: participant.key }),
  });
