import type { SolverPerformance, SolverRecord, Trust } from "../../client/src/api";
import { type Activity, ActivitySection, readActivity } from "../components/activity";
import { Facts, Segments, Stats, selectedTab, Technical, Unavailable } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { include, MetadataFacts, NamedHeading, type Shown, titleOf, withShownMetadata } from "../components/metadata";
import { type ListPage, RecordTabs, readTab } from "../components/record-tabs";
import { FillRate } from "../components/tables";
import { Amount } from "../components/tokens";
import { TrustSection } from "../components/trust";
import { Account, activity, Block, Count, Dollars, None, Percent, Uri } from "../components/values";
import { links, withQuery } from "../links";
import { type Parameters, page, type ViewProps } from "../page";
import { ifAvailable } from "../reads";
import { attestationsAbout, bidsOf, fillsOf } from "../record-lists";
import { describeSolver } from "../social/descriptions";
import { NATIVE_COIN } from "../tokens";

type Data = {
  solver: Shown<SolverRecord>;
  /** Null if they could not be read. */
  windows: readonly SolverPerformance[] | null;
  trust: Trust | null;
  activity: Activity;
  list: ListPage;
};

const listsOf = ({ operator }: Pick<SolverRecord, "operator">) =>
  [fillsOf({ solver: operator }), bidsOf(operator), attestationsAbout(operator)] as const;

const windowNames = ["all", "30d", "7d", "24h"] as const;
const windowTitles = { all: "All time", "30d": "30 days", "7d": "7 days", "24h": "24 hours" } as const;

/** Wins for each bid, as percent. */
const WinRate = ({ value }: { value: string | null }) =>
  value === null ? (
    <None>no bids</None>
  ) : (
    <data value={value}>{(Number(value) * 100).toFixed(1).replace(/\.0$/, "")} %</data>
  );

/** What the solver did in the selected time. */
function Performance({ solver, windows, parameters }: Pick<Data, "solver" | "windows"> & { parameters: Parameters }) {
  const selected = selectedTab(windowNames, parameters.window);
  const numbers = windows?.find(({ window }) => window === selected);
  if (!numbers) return <Unavailable />;
  return (
    <div id="performance">
      <Segments
        label="Time of the numbers"
        segments={windowNames.map((name) => ({
          title: windowTitles[name],
          href: withQuery(links.solver(solver.solver_id), { window: name === "all" ? undefined : name }),
          isCurrent: name === selected,
        }))}
      />
      <Stats
        items={[
          {
            field: "volume_usd",
            label: "Volume",
            value: <Dollars value={numbers.volume_usd} />,
            note: "Inputs of fills, in listed tokens",
          },
          {
            field: "fills",
            label: "Fills",
            value: <Count value={numbers.fills} />,
            note: (
              <>
                <Count value={numbers.failed_fills} /> selected and not filled
              </>
            ),
          },
          {
            field: "win_rate",
            label: "Win rate",
            value: <WinRate value={numbers.win_rate} />,
            note: (
              <>
                <Count value={numbers.wins} /> of <Count value={numbers.bids} /> bids on chain
              </>
            ),
          },
          {
            field: "avg_surplus_bps",
            label: "Above the minimum",
            value:
              numbers.avg_surplus_bps === null ? (
                <None>no fills</None>
              ) : (
                <Percent basisPoints={numbers.avg_surplus_bps} />
              ),
            note: (
              <>
                <Dollars value={numbers.surplus_usd} /> in all, for traders
              </>
            ),
          },
          {
            field: "median_latency_blocks",
            label: "Time to fill",
            value:
              numbers.median_latency_blocks === null ? (
                <None>no fills</None>
              ) : (
                <>
                  <data value={numbers.median_latency_blocks}>{numbers.median_latency_blocks}</data>{" "}
                  {numbers.median_latency_blocks === "1" ? "block" : "blocks"}
                </>
              ),
            note: "Median from intent to fill",
          },
        ]}
      />
    </div>
  );
}

const TechnicalDetails = ({ solver }: Pick<Data, "solver">) => (
  <Technical>
    <Facts
      items={[
        { field: "operator", label: "Operator", value: <Account value={solver.operator} full /> },
        { field: "bond", label: "Bond", value: <Amount value={solver.bond} token={NATIVE_COIN} full /> },
        { field: "fills", label: "Fills", value: <Count value={solver.fills} /> },
        {
          field: "successful_fills",
          label: "Selected bids filled",
          value: <Count value={solver.successful_fills} />,
        },
        { field: "failed_fills", label: "Selected bids not filled", value: <Count value={solver.failed_fills} /> },
        { field: "fill_rate", label: "Fill rate", value: <FillRate solver={solver} /> },
        {
          field: "avg_latency_blocks",
          label: "Average blocks from intent to fill",
          value: solver.avg_latency_blocks,
        },
        {
          field: "total_latency_blocks",
          label: "Blocks from intent to fill, in all",
          value: <Count value={solver.total_latency_blocks} />,
        },
        {
          field: "avg_surplus_out",
          label: "Average above the minimum, in the smallest units of all tokens",
          value: solver.avg_surplus_out,
        },
        {
          field: "total_surplus_out",
          label: "Above the minimum in all, in the smallest units of all tokens",
          value: <Count value={solver.total_surplus_out} />,
        },
        { field: "metadata_uri", label: "Metadata URI", value: <Uri value={solver.metadata_uri} /> },
        {
          field: "capabilities_hash",
          label: "Capabilities hash",
          value: <Hex value={solver.capabilities_hash} full />,
        },
        { field: "block_number", label: "Block", value: <Block value={solver.block_number} /> },
      ]}
    />
    <MetadataFacts metadata={solver.metadata} api={`/solvers/${solver.solver_id}`} />
  </Technical>
);

const View = ({ data, live, parameters }: ViewProps<Data>) => {
  const { solver, trust, activity: series, list } = data;
  const path = links.solver(solver.solver_id);
  return (
    <>
      <NamedHeading
        kind="solver"
        id={solver.solver_id}
        status={activity(solver.active)}
        address={solver.operator}
        metadata={solver.metadata}
        byline={
          <>
            Operated by <Hex value={solver.operator} bare href={links.account(solver.operator)} /> with a bond of{" "}
            <Amount value={solver.bond} token={NATIVE_COIN} />
          </>
        }
      />
      <Performance {...data} parameters={parameters} />
      <div class="columns even">
        <ActivitySection path={path} parameters={parameters} activity={series} />
        <TrustSection trust={trust} />
      </div>
      <RecordTabs path={path} parameters={parameters} lists={listsOf(solver)} page={list} />
      <EventLog title="Recent events of this solver" live={live} />
      <TechnicalDetails solver={solver} />
    </>
  );
};

export const solverPage = page<Data>({
  path: links.solver(":id"),
  title: ({ solver }) => titleOf("solver", solver.solver_id, solver),
  description: ({ solver }) => describeSolver(solver),
  async load(api, parameters, onFailure) {
    const { id = "" } = parameters;
    const [record, performance, trust] = await Promise.all([
      api.solvers.get.query({ id, include }),
      ifAvailable(api.solvers.performance.query({ id }), onFailure),
      ifAvailable(api.trust.check.query({ kind: "solver", id }), onFailure),
    ]);
    const solver = withShownMetadata(record);
    const [series, list] = await Promise.all([
      readActivity(api, "trades", { solver: solver.operator }, parameters, onFailure),
      readTab(api, listsOf(solver), parameters),
    ]);
    return { solver, windows: performance?.windows ?? null, trust, activity: series, list };
  },
  View,
  subscription: ({ solver: { operator } }) => ({ filter: { account: operator } }),
  tokens: [NATIVE_COIN],
});
