import type { CommerceAnalytics, Intent, Protocol, Readiness, SearchResult } from "../../client/src/api";
import { readCounts, readVolumes } from "../charts";
import { Bars } from "../components/bars";
import { Section, Table, TableSection, Tiles } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { IntentTable } from "../components/intents";
import { RecordLink } from "../components/record-link";
import { TopMerchants, TopSolvers } from "../components/results";
import { type Chart, Charts } from "../components/series";
import { Amount, Token } from "../components/tokens";
import { Count, None, paymentRails, Status } from "../components/values";
import { links } from "../links";
import { page, RECENT_BLOCKS, type ViewProps } from "../page";

const NEWEST = 8;
const TOP = 8;

const counts = ["intents", "fills", "disputes"] as const;

/** How many tokens have charts of their volume. Each has two. */
const CHARTED_TOKENS = 2;

type Data = {
  protocol: Protocol;
  readiness: Readiness;
  analytics: CommerceAnalytics;
  intents: readonly Intent[];
  totals: { intents: number; solvers: number; attestors: number };
  topSolvers: readonly SearchResult[];
  topMerchants: readonly SearchResult[];
  charts: readonly Chart[];
};

/** The tokens with the largest settled volume, and those of the newest intents. */
function chartedTokens({ volume_by_token }: CommerceAnalytics, intents: readonly Intent[]): readonly string[] {
  const tokens = [...volume_by_token.map(({ token }) => token), ...intents.map(({ input_token }) => input_token)];
  return [...new Set(tokens)].slice(0, CHARTED_TOKENS);
}

const totalOf = ({ pagination }: { pagination: { total?: number } }) => pagination.total ?? 0;

const countOrUnknown = (value: string | number | null) =>
  value === null ? <None>unknown</None> : <Count value={value} />;

const Numbers = ({ protocol, readiness, analytics: { summary }, totals }: Data) => (
  <Section title="At a glance">
    <Tiles
      items={[
        { field: "chain_id", label: "Chain", value: protocol.chain_id },
        { field: "ready", label: "Index", value: <Status value={readiness.ready ? "READY" : "BEHIND"} /> },
        { field: "block_number", label: "Head block", value: countOrUnknown(readiness.block_number) },
        { field: "lag_blocks", label: "Lag in blocks", value: countOrUnknown(readiness.lag_blocks) },
        { field: "intents", label: "Intents", value: <Count value={totals.intents} /> },
        { field: "solvers", label: "Solvers", value: <Count value={totals.solvers} /> },
        { field: "attestors", label: "Attestors", value: <Count value={totals.attestors} /> },
        { field: "merchants", label: "Merchants", value: <Count value={summary.merchants} /> },
        { field: "services", label: "Services", value: <Count value={summary.services} /> },
        { field: "quotes", label: "Quotes", value: <Count value={summary.quotes} /> },
        { field: "receipts", label: "Receipts", value: <Count value={summary.receipts} /> },
        { field: "disputes", label: "Disputes", value: <Count value={summary.disputes} /> },
        { field: "open_disputes", label: "Open disputes", value: <Count value={summary.open_disputes} /> },
        { field: "settled_quotes", label: "Settled quotes", value: <Count value={summary.settled_quotes} /> },
      ]}
    />
    {readiness.reasons.map((reason) => (
      <p key={reason} class="warning">
        {reason}
      </p>
    ))}
  </Section>
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
      <Table
        caption="Services by settled volume"
        empty="No receipts yet."
        rows={analytics.top_services}
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
    </Section>
    <Section title="Settled volume by token">
      {/* Amounts of different tokens can't be compared, so the bars are of receipts. */}
      <Bars
        empty="No receipts yet."
        bars={analytics.volume_by_token.map(({ token, settled_volume, receipts }) => ({
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
    </Section>
    <Section title="Receipts by payment rail">
      <Bars
        empty="No receipts yet."
        bars={analytics.volume_by_payment_rail.map(({ payment_rail, receipts }) => ({
          key: String(payment_rail),
          label: paymentRails[payment_rail] ?? `rail ${payment_rail}`,
          value: receipts,
          shown: <Count value={receipts} />,
        }))}
      />
    </Section>
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
  // 15 reads, each of one query at most, besides those of the tokens.
  async load(api, _, onFailure) {
    const { status, analytics, intents, solvers, attestors, search } = api;
    const top = { min_fulfilled: 1, limit: TOP };
    const countCharts = readCounts(api, counts, onFailure);
    const [protocol, readiness, commerce, newest, allSolvers, allAttestors, topSolvers, topMerchants] =
      await Promise.all([
        status.protocol.query(),
        status.ready.query(),
        analytics.commerce.query(),
        intents.list.query({ limit: NEWEST, total: true }),
        solvers.list.query({ limit: 1, total: true }),
        attestors.list.query({ limit: 1, total: true }),
        search.find.query({ type: "solver", ...top }),
        search.find.query({ type: "merchant", ...top }),
      ]);
    const volumeCharts = await readVolumes(api, chartedTokens(commerce, newest.intents), onFailure);
    return {
      protocol,
      readiness,
      analytics: commerce,
      intents: newest.intents,
      totals: { intents: totalOf(newest), solvers: totalOf(allSolvers), attestors: totalOf(allAttestors) },
      topSolvers: topSolvers.results,
      topMerchants: topMerchants.results,
      charts: [...(await countCharts), ...volumeCharts],
    };
  },
  View: Overview,
  subscription: () => ({ filter: {}, pastBlocks: RECENT_BLOCKS }),
});
