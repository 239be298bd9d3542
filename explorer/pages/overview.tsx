import type { CommerceAnalytics, Intent, Leaderboard, Protocol, Readiness, Receipt } from "../../client/src/api";
import { Bars } from "../components/bars";
import { Fold, Heading, Section, Segments, Stats, Tiles, Unavailable } from "../components/blocks";
import { Board, boardLink } from "../components/boards";
import { Chart, Sparkline } from "../components/chart";
import { EventLog } from "../components/event-log";
import { Amount, Token } from "../components/tokens";
import { IntentSentences, ReceiptSentences } from "../components/trades";
import { Count, Dollars, None, paymentRails, Status } from "../components/values";
import { links, withQuery } from "../links";
import { type Parameters, page, type ViewProps } from "../page";
import { ifAvailable, type OnFailure, type Reads } from "../reads";
import { growthOf, sumOfDecimals } from "../text/decimals";
import { percentOf } from "../text/format";
import { percentOfBasisPoints, shortDollars } from "../text/short-number";
import { type Interval, type Points, type Range, ranges, readTrend, spanOf, type TrendName, trends } from "../trends";

const NEWEST = 6;
const TOP = 5;
const DAY_HOURS = 24;
const HOUR_SECONDS = 3_600;

const boards = ["solvers", "merchants", "agents"] as const;

const numbers = ["volume", "intents", "fills", "receipts"] as const satisfies TrendName[];

/** A trend in the last 24 hours and in the 24 before. */
type Day = { value: string; before: string; hours: readonly string[] };

type Data = {
  protocol: Protocol;
  intents: readonly Intent[];
  /** The parts below are null if they could not be read. */
  receipts: readonly Receipt[] | null;
  readiness: Readiness | null;
  analytics: CommerceAnalytics | null;
  days: Readonly<Record<(typeof numbers)[number] | "agents", Day | null>>;
  boards: readonly { board: (typeof boards)[number]; ranking: Leaderboard["ranking"] | null }[];
  chart: { interval: Interval; points: Points } | null;
};

const trendOf = ({ metric = "" }: Parameters): TrendName =>
  Object.hasOwn(trends, metric) ? (metric as TrendName) : "volume";

const rangeOf = ({ range = "" }: Parameters): Range => (Object.hasOwn(ranges, range) ? (range as Range) : "7d");

/** The change against the 24 hours before. */
function Change({ value, before }: Day) {
  const growth = growthOf(value, before);
  if (growth === undefined) return value === "0" ? <>None in 48 h</> : <span class="up">None in the 24 h before</span>;
  if (growth === "0") return <>As in the 24 h before</>;
  const isLess = growth.startsWith("-");
  return (
    <>
      <span class={isLess ? "down" : "up"}>
        {isLess ? "▼" : "▲"} {percentOfBasisPoints(growth.replace("-", ""))}
      </span>{" "}
      against the 24 h before
    </>
  );
}

const unknown = <None>unknown</None>;

const spark = (day: Day | null) => day && <Sparkline values={day.hours} />;

function Numbers({ days: { volume, intents, fills, agents, receipts } }: Data) {
  const rate = fills && intents && percentOf(fills.value, intents.value);
  return (
    <Stats
      items={[
        {
          field: "volume_usd_24h",
          label: "Volume, 24\u00a0h",
          value: volume ? <Dollars value={volume.value} /> : unknown,
          note: volume && (
            <>
              Filled intents and receipts. <Change {...volume} />
            </>
          ),
          chart: spark(volume),
        },
        {
          field: "fills_24h",
          label: "Intents filled, 24\u00a0h",
          value: fills ? <Count value={fills.value} /> : unknown,
          note: fills && (
            <>
              {rate && (
                <>
                  {rate} of <Count value={intents.value} /> new ones.{" "}
                </>
              )}
              <Change {...fills} />
            </>
          ),
          chart: spark(fills),
        },
        {
          field: "active_agents_24h",
          label: "Agents that paid, 24\u00a0h",
          value: agents ? <Count value={agents.value} /> : unknown,
          note: agents && <Change {...agents} />,
          chart: spark(agents),
        },
        {
          field: "receipts_24h",
          label: "Receipts, 24\u00a0h",
          value: receipts ? <Count value={receipts.value} /> : unknown,
          note: receipts && <Change {...receipts} />,
          chart: spark(receipts),
        },
      ]}
    />
  );
}

/** The address of the page with another metric or range of the chart. */
const chartLink = (trend: TrendName, range: Range) =>
  `${withQuery(links.overview, { metric: trend === "volume" ? undefined : trend, range: range === "7d" ? undefined : range })}#trend`;

function Trend({ chart, parameters }: { chart: Data["chart"]; parameters: Parameters }) {
  const [trend, range] = [trendOf(parameters), rangeOf(parameters)];
  const isVolume = trend === "volume";
  const total = chart && sumOfDecimals(chart.points.map(({ value }) => value));
  return (
    <Section
      id="trend"
      title={trends[trend]}
      note={total !== null && <data value={total}>{isVolume ? shortDollars(total) : total} in this range</data>}
    >
      <div class="choices">
        <Segments
          label="Metric of the chart"
          segments={(Object.keys(trends) as TrendName[]).map((name) => ({
            title: name === "volume" ? "Volume" : trends[name],
            href: chartLink(name, range),
            isCurrent: name === trend,
          }))}
        />
        <Segments
          label="Range of the chart"
          segments={(Object.keys(ranges) as Range[]).map((name) => ({
            title: ranges[name],
            href: chartLink(trend, name),
            isCurrent: name === range,
          }))}
        />
      </div>
      {chart ? (
        <Chart
          title={`${trends[trend]} by ${chart.interval}`}
          points={chart.points}
          interval={chart.interval}
          text={isVolume ? (value) => `$${value}` : String}
          {...(isVolume && { tick: shortDollars })}
        />
      ) : (
        <Unavailable />
      )}
    </Section>
  );
}

const boardTitles = { solvers: "Best solvers", merchants: "Best merchants", agents: "Most active agents" } as const;

const Boards = ({ boards }: Pick<Data, "boards">) => (
  <div class="columns narrow">
    {boards.map(({ board, ranking }) => (
      <Section
        key={board}
        id={`top-${board}`}
        title={boardTitles[board]}
        note={<a href={boardLink(board)}>7 days, by dollars</a>}
      >
        {ranking ? <Board board={board} ranking={ranking} /> : <Unavailable />}
      </Section>
    ))}
  </div>
);

/** Totals of all time, with their labels. */
const totals = [
  ["merchants", "Merchants"],
  ["services", "Services"],
  ["quotes", "Quotes"],
  ["settled_quotes", "Settled quotes"],
  ["receipts", "Receipts"],
  ["disputes", "Disputes"],
  ["open_disputes", "Open disputes"],
] as const;

type TotalsProps = { analytics: CommerceAnalytics; chainId: string };

const Totals = ({ analytics: { summary, volume_by_token, volume_by_payment_rail }, chainId }: TotalsProps) => (
  <>
    <Tiles
      items={[
        { field: "chain_id", label: "Chain", value: chainId },
        ...totals.map(([field, label]) => ({ field, label, value: <Count value={summary[field]} /> })),
      ]}
    />
    <div class="columns">
      <div>
        <h3>Receipts by token</h3>
        <Bars
          empty="No receipts yet"
          bars={volume_by_token.map(({ token, settled_volume, settled_volume_usd, receipts }) => ({
            key: token,
            label: <Token value={token} />,
            value: receipts,
            shown: (
              <>
                <Amount value={settled_volume} token={token} usd={settled_volume_usd} /> in <Count value={receipts} />{" "}
                receipts
              </>
            ),
          }))}
        />
      </div>
      <div>
        <h3>Receipts by payment rail</h3>
        <Bars
          empty="No receipts yet"
          bars={volume_by_payment_rail.map(({ payment_rail, receipts }) => ({
            key: String(payment_rail),
            label: paymentRails[payment_rail] ?? `rail ${payment_rail}`,
            value: receipts,
            shown: <Count value={receipts} />,
          }))}
        />
      </div>
    </div>
  </>
);

const State = ({ protocol, readiness }: Pick<Data, "protocol" | "readiness">) => (
  <>
    Chain {protocol.chain_id} {readiness && <Status value={readiness.ready ? "READY" : "BEHIND"} />}
  </>
);

const Overview = ({ data, live, parameters }: ViewProps<Data>) => (
  <>
    <Heading
      kind={<State {...data} />}
      lead="Agents say what they want to swap, solvers compete to fill it, and merchants are paid on chain."
    >
      What agents trade and buy
    </Heading>
    {data.readiness?.reasons.map((reason) => (
      <p key={reason} class="warning">
        {reason}
      </p>
    ))}
    <Numbers {...data} />
    <Trend chart={data.chart} parameters={parameters} />
    <div class="columns">
      <Section title="Newest intents" id="intents" note={<a href={links.list("intents")}>All intents</a>}>
        <IntentSentences rows={data.intents} />
      </Section>
      <Section title="Newest receipts" id="receipts" note={<a href={links.list("receipts")}>All receipts</a>}>
        {data.receipts ? <ReceiptSentences rows={data.receipts} /> : <Unavailable />}
      </Section>
    </div>
    <Boards boards={data.boards} />
    <EventLog title="Live events" live={live} />
    <Fold title="Commerce of all time">
      {data.analytics ? (
        <Totals analytics={data.analytics} chainId={String(data.protocol.chain_id)} />
      ) : (
        <Unavailable />
      )}
    </Fold>
  </>
);

/** A trend in 48 hours, with the sums of both days. */
async function readDay(api: Reads, name: TrendName): Promise<Day & { end: number }> {
  const points = await readTrend(api, name, { interval: "hour" });
  const [before, hours] = [points.slice(-2 * DAY_HOURS, -DAY_HOURS), points.slice(-DAY_HOURS)].map((part) =>
    part.map(({ value }) => value),
  ) as [string[], string[]];
  return {
    value: sumOfDecimals(hours),
    before: sumOfDecimals(before),
    hours,
    end: Number(points.at(-1)?.start ?? 0),
  };
}

/** When the first intent was submitted or the first receipt settled. */
async function startOfActivity({ intents, receipts }: Reads): Promise<number> {
  const [first, paid] = await Promise.all([
    intents.list.query({ sort: "oldest", limit: 1 }),
    receipts.list.query({ sort: "oldest", limit: 1 }),
  ]);
  const times = [...first.intents.map((one) => one.submitted_at), ...paid.receipts.map((one) => one.settled_at)];
  return Math.min(...times.map(Number));
}

async function readChart(api: Reads, parameters: Parameters, now: number): Promise<Data["chart"]> {
  const range = rangeOf(parameters);
  const span = spanOf(range, now, range === "all" ? await startOfActivity(api) : now);
  return { interval: span.interval, points: await readTrend(api, trendOf(parameters), span) };
}

/** The agents that paid in the last 24 hours and in the 24 before, each of them counted once. */
async function readActiveAgents({ analytics: { timeseries } }: Reads): Promise<Day> {
  const read = (range: { from?: string; to?: string }) =>
    timeseries.query({ metric: "active_agents", interval: "hour", ...range });
  const { points } = await read({});
  const hours = points.slice(-DAY_HOURS);
  const start = hours[0]?.start ?? "0";
  const [day, before] = await Promise.all([
    read({ from: start }),
    read({ from: String(Number(start) - DAY_HOURS * HOUR_SECONDS), to: String(Number(start) - 1) }),
  ]);
  return { value: day.total, before: before.total, hours: hours.map(({ value }) => value) };
}

async function readNumbers(api: Reads, parameters: Parameters, onFailure: OnFailure) {
  const agents = ifAvailable(readActiveAgents(api), onFailure);
  const [volume, intents, fills, receipts] = await Promise.all(
    numbers.map((name) => ifAvailable(readDay(api, name), onFailure)),
  );
  const now = (intents ?? receipts ?? fills ?? volume)?.end ?? Math.floor(Date.now() / 1000);
  const known = { volume: volume ?? null, intents: intents ?? null, fills: fills ?? null, receipts: receipts ?? null };
  return {
    days: { ...known, agents: await agents },
    chart: await ifAvailable(readChart(api, parameters, now), onFailure),
  };
}

export const overviewPage = page<Data>({
  path: links.overview,
  title: () => "Overview",
  // About 20 reads, each of one query at most. Without the newest intents there is no page.
  async load(api, parameters, onFailure) {
    const { status, analytics, intents, receipts, leaderboard } = api;
    const optional = <Value,>(value: Promise<Value>) => ifAvailable(value, onFailure);
    const [protocol, newest, paid, readiness, commerce, counted, ...rankings] = await Promise.all([
      status.protocol.query(),
      intents.list.query({ limit: NEWEST }),
      optional(receipts.list.query({ limit: NEWEST })),
      optional(status.ready.query()),
      optional(analytics.commerce.query()),
      readNumbers(api, parameters, onFailure),
      ...boards.map((board) => optional(leaderboard.get.query({ board, window: "7d", limit: TOP }))),
    ]);
    return {
      protocol,
      intents: newest.intents,
      receipts: paid?.receipts ?? null,
      readiness,
      analytics: commerce,
      ...counted,
      boards: boards.map((board, index) => ({ board, ranking: rankings[index]?.ranking ?? null })),
    };
  },
  View: Overview,
  subscription: () => ({ filter: {} }),
});
