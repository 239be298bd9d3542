import type { CommerceAnalytics, Intent, Protocol, Readiness, SearchResult } from "../../client/src/api";
import { readCounts, readVolumes } from "../charts";
import { Bars } from "../components/bars";
import { Section, Table, TableSection, Tiles, Unavailable } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { IntentTable } from "../components/intents";
import { RecordLink } from "../components/record-link";
import { TopMerchants, TopSolvers } from "../components/results";
import { type Chart, Charts } from "../components/series";
import { Amount, Token } from "../components/tokens";
import { Count, None, paymentRails, Status } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";

const NEWEST = 8;
const TOP = 8;

const counts = ["intents", "fills", "disputes"] as const;

/** How many tokens have charts of their volume. Each has two. */
const CHARTED_TOKENS = 2;

type Data = {
  protocol: Protocol;
  intents: readonly Intent[];
  /** The parts below are null if they could not be read. */
  readiness: Readiness | null;
  analytics: CommerceAnalytics | null;
  totals: { intents: number; solvers: number | null; attestors: number | null };
  topSolvers: readonly SearchResult[] | null;
  topMerchants: readonly SearchResult[] | null;
  charts: readonly Chart[];
};

/** The tokens with the largest settled volume, and those of the newest intents. */
function chartedTokens(analytics: CommerceAnalytics | null, intents: readonly Intent[]): readonly string[] {
  const volumes = analytics?.volume_by_token ?? [];
  const tokens = [...volumes.map(({ token }) => token), ...intents.map(({ input_token }) => input_token)];
  return [...new Set(tokens)].slice(0, CHARTED_TOKENS);
}

type Counted = { pagination: { total?: number } };

const totalOf = ({ pagination }: Counted) => pagination.total ?? 0;
const totalIfRead = (list: Counted | null) => list && totalOf(list);

const countOrUnknown = (value: string | number | null | undefined) =>
  value == null ? <None>unknown</None> : <Count value={value} />;

/** Totals of commerce, with their labels. */
const commerceTotals = [
  ["merchants", "Merchants"],
  ["services", "Services"],
  ["quotes", "Quotes"],
  ["receipts", "Receipts"],
  ["disputes", "Disputes"],
  ["open_disputes", "Open disputes"],
  ["settled_quotes", "Settled quotes"],
] as const;

const stateOf = (readiness: Readiness | null) =>
  readiness ? <Status value={readiness.ready ? "READY" : "BEHIND"} /> : <None>unknown</None>;

const Numbers = ({ protocol, readiness, analytics, totals }: Data) => (
  <Section title="At a glance">
    <Tiles
      items={[
        { field: "chain_id", label: "Chain", value: protocol.chain_id },
        { field: "ready", label: "Index", value: stateOf(readiness) },
        { field: "block_number", label: "Head block", value: countOrUnknown(readiness?.block_number) },
        { field: "lag_blocks", label: "Lag in blocks", value: countOrUnknown(readiness?.lag_blocks) },
        { field: "intents", label: "Intents", value: <Count value={totals.intents} /> },
        { field: "solvers", label: "Solvers", value: countOrUnknown(totals.solvers) },
        { field: "attestors", label: "Attestors", value: countOrUnknown(totals.attestors) },
        ...commerceTotals.map(([field, label]) => ({
          field,
          label,
          value: countOrUnknown(analytics?.summary[field]),
        })),
      ]}
    />
    {readiness?.reasons.map((reason) => (
      <p key={reason} class="warning">
        {reason}
      </p>
    ))}
  </Section>
);

const TopServices = ({ top_services }: CommerceAnalytics) => (
  <Table
    caption="Services by settled volume"
    empty="No receipts yet."
    rows={top_services}
    rowKey={({ service_numeric_id }) => service_numeric_id}
    columns={[
      {
        label: "Service",
        cell: ({ service_numeric_id, service_id }) => (
          <RecordLink kind="service" id={service_numeric_id} name={service_id} />
        ),
      },
      { label: "Receipts", isNumber: true, cell: ({ receipts }) => <Count value={receipts} /> },
    ]}
  />
);

/** Amounts of different tokens can't be compared, so the bars are of receipts. */
const Volumes = ({ volume_by_token }: CommerceAnalytics) => (
  <Bars
    empty="No receipts yet."
    bars={volume_by_token.map(({ token, settled_volume, receipts }) => ({
      key: token,
      label: <Token value={token} />,
      value: receipts,
      shown: (
        <>
          <Amount value={settled_volume} token={token} /> in <Count value={receipts} /> receipts
        </>
      ),
    }))}
  />
);

const Rails = ({ volume_by_payment_rail }: CommerceAnalytics) => (
  <Bars
    empty="No receipts yet."
    bars={volume_by_payment_rail.map(({ payment_rail, receipts }) => ({
      key: String(payment_rail),
      label: paymentRails[payment_rail] ?? `rail ${payment_rail}`,
      value: receipts,
      shown: <Count value={receipts} />,
    }))}
  />
);

const TopLists = ({ analytics, topSolvers, topMerchants }: Data) => (
  <div class="columns narrow">
    <TableSection
      title="Top solvers"
      id="top-solvers"
      note={<a href={links.list("solvers")}>All solvers</a>}
      Rows={TopSolvers}
      rows={topSolvers}
      caption="Solvers by fills"
    />
    <TableSection
      title="Top merchants"
      id="top-merchants"
      note={<a href={links.list("merchants")}>All merchants</a>}
      Rows={TopMerchants}
      rows={topMerchants}
      caption="Merchants by fulfilled receipts and disputes"
    />
    <Section title="Top services" note={<a href={links.list("services")}>All services</a>}>
      {analytics ? <TopServices {...analytics} /> : <Unavailable />}
    </Section>
    <Section title="Settled volume by token">{analytics ? <Volumes {...analytics} /> : <Unavailable />}</Section>
    <Section title="Receipts by payment rail">{analytics ? <Rails {...analytics} /> : <Unavailable />}</Section>
  </div>
);

const Overview = ({ data, live }: ViewProps<Data>) => (
  <>
    <h1>Agents, intents and commerce on chain {data.protocol.chain_id}</h1>
    <Numbers {...data} />
    <Charts charts={data.charts} />
    <EventLog title="Live events" live={live} />
    <TableSection
      title="Newest intents"
      id="intents"
      note={<a href={links.list("intents")}>All intents</a>}
      Rows={IntentTable}
      rows={data.intents}
      caption="Newest intents"
    />
    <TopLists {...data} />
  </>
);

export const overviewPage = page<Data>({
  path: links.overview,
  title: () => "Overview",
  // 16 reads, each of one query at most, besides those of the tokens and events. Without the newest intents there is no page.
  async load(api, _, onFailure) {
    const { status, analytics, intents, solvers, attestors, search } = api;
    const optional = <Value,>(value: Promise<Value>) => ifAvailable(value, onFailure);
    const top = { min_fulfilled: 1, limit: TOP };
    const countCharts = readCounts(api, counts, onFailure);
    const [protocol, newest, readiness, commerce, allSolvers, allAttestors, topSolvers, topMerchants] =
      await Promise.all([
        status.protocol.query(),
        intents.list.query({ limit: NEWEST, total: true }),
        optional(status.ready.query()),
        optional(analytics.commerce.query()),
        optional(solvers.list.query({ limit: 1, total: true })),
        optional(attestors.list.query({ limit: 1, total: true })),
        optional(search.find.query({ type: "solver", ...top })),
        optional(search.find.query({ type: "merchant", ...top })),
      ]);
    const volumeCharts = await readVolumes(api, chartedTokens(commerce, newest.intents), onFailure);
    return {
      protocol,
      intents: newest.intents,
      readiness,
      analytics: commerce,
      totals: {
        intents: totalOf(newest),
        solvers: totalIfRead(allSolvers),
        attestors: totalIfRead(allAttestors),
      },
      topSolvers: topSolvers?.results ?? null,
      topMerchants: topMerchants?.results ?? null,
      charts: [...(await countCharts), ...volumeCharts],
    };
  },
  View: Overview,
  subscription: () => ({ filter: {} }),
});
