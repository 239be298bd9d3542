import type { ComponentChildren } from "preact";
import type { Leaderboard, SolverLeaderboard } from "../../client/src/api";
import { Empty, Heading, Section, Segments } from "../components/blocks";
import { RankingTable, SolverRankingTable } from "../components/rankings";
import { links, withQuery } from "../links";
import { type Parameters, page, type ViewProps } from "../page";

const SHOWN = 50;
const BAD_REQUEST = 400;

type Board = {
  title: string;
  /** One of them. */
  singular: string;
  counterparties: string;
  /** What would make rows appear. */
  source: ComponentChildren;
};

const receipts = <a href={links.list("receipts")}>receipts</a>;

const boards: Readonly<Record<Leaderboard["board"], Board>> = {
  solvers: {
    title: "Solvers",
    singular: "Solver",
    counterparties: "Owners",
    source: <>Solvers rank by their {<a href={links.list("fills")}>fills</a>} of intents.</>,
  },
  merchants: {
    title: "Merchants",
    singular: "Merchant",
    counterparties: "Agents that paid",
    source: <>Merchants rank by their {receipts}.</>,
  },
  services: {
    title: "Services",
    singular: "Service",
    counterparties: "Agents that paid",
    source: <>Services rank by their {receipts}.</>,
  },
  agents: {
    title: "Agents",
    singular: "Agent",
    counterparties: "Merchants paid",
    source: <>Agents rank by their {receipts}.</>,
  },
  facilitators: {
    title: "Facilitators",
    singular: "Facilitator",
    counterparties: "Agents that paid",
    source: <>Facilitators rank by the {receipts} that they carried out.</>,
  },
};

const boardNames = Object.keys(boards) as Leaderboard["board"][];

const windows = [
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
  ["all", "All time"],
] as const;

const orders = ["volume", "surplus", "fills", "win_rate"] as const;

type Data = {
  board: string;
  window: string;
  by: string;
  /** Null if the input is wrong. */
  solvers: SolverLeaderboard["ranking"] | null;
  participants: Leaderboard["ranking"] | null;
  problem: string | null;
};

/** What a ranking counts, and how it can't be cheated. */
const Rules = ({ board }: { board: string }) => (
  <Section title="What counts">
    <ul class="sentences">
      {board === "solvers" ? (
        <>
          <li>Volume is what the filled intents sold, surplus what their owners received beyond the minimum.</li>
          <li>The win rate is the share of bids that were selected. In its order, solvers with few bids are last.</li>
          <li>What a solver does with its own intents counts nothing.</li>
        </>
      ) : (
        <>
          <li>Volume is the amounts of receipts. Equal volumes rank by distinct counterparties, then by receipts.</li>
          <li>A receipt with the same owner or payout address on both sides is self-dealing, and counts nothing.</li>
        </>
      )}
      <li>Only tokens on the chain's token list count, in dollars at the price of the hour: anyone can mint others.</li>
      <li>Amounts are as the parties recorded them. Look at who paid whom before you rely on a rank.</li>
    </ul>
  </Section>
);

const apiPath = ({ board, window, by }: Data) =>
  board === "solvers"
    ? withQuery("/solvers/leaderboard", { by, window, limit: String(SHOWN) })
    : withQuery(`/leaderboard/${encodeURIComponent(board)}`, { window, limit: String(SHOWN) });

const path = links.list("leaderboards");

function LeaderboardsView({ data }: ViewProps<Data>) {
  const { board: name, window, by, solvers, participants, problem } = data;
  const board = boardNames.find((known) => known === name);
  const href = (changed: Readonly<Record<string, string>>) =>
    withQuery(path, { board: name, window, ...(name === "solvers" && { by }), ...changed });
  const details = board && boards[board];
  const empty = (
    <Empty title="Nothing counted in this window">
      {details?.source} {window !== "all" && <a href={href({ window: "all" })}>Show all time</a>}
    </Empty>
  );
  return (
    <>
      <Heading
        lead="Who moves most, in dollars of listed tokens."
        actions={
          problem === null && (
            <a class="button" href={apiPath(data)}>
              JSON
            </a>
          )
        }
      >
        Leaderboards
      </Heading>
      <nav class="tabs" aria-label="Boards">
        {boardNames.map((known) => (
          <a
            key={known}
            href={withQuery(path, { board: known, window })}
            aria-current={known === name ? "page" : undefined}
          >
            {boards[known].title}
          </a>
        ))}
      </nav>
      <section class="card list" id="ranking">
        <div class="toolbar">
          <Segments
            label="Window"
            segments={windows.map(([value, title]) => ({
              title,
              href: href({ window: value }),
              isCurrent: value === window,
            }))}
          />
        </div>
        {problem !== null && (
          <p class="warning" role="alert">
            {problem}
          </p>
        )}
        {solvers && (
          <SolverRankingTable
            rows={solvers}
            caption="Solvers, best first"
            empty={empty}
            sorting={{ current: by, available: orders, href: (order) => href({ by: order }) }}
          />
        )}
        {participants && board && details && (
          <RankingTable
            rows={participants}
            board={board}
            title={details.singular}
            counterparties={details.counterparties}
            caption={`${details.title}, best first`}
            empty={empty}
          />
        )}
      </section>
      <Rules board={name} />
    </>
  );
}

/** Unknown values are sent as they are, and the API says what is wrong with them. */
const inputOf = ({ window = "7d", by = "volume", board = "solvers" }: Parameters) =>
  ({ window, by, board }) as {
    window: SolverLeaderboard["window"];
    by: SolverLeaderboard["by"];
    board: Leaderboard["board"];
  };

export const leaderboardsPage = page<Data>({
  path,
  title: () => "Leaderboards",
  async load({ solvers, leaderboard }, parameters) {
    const { board, window, by } = inputOf(parameters);
    const state = { board, window, by, solvers: null, participants: null, problem: null };
    try {
      if (board === "solvers") {
        const { ranking } = await solvers.leaderboard.query({ by, window, limit: SHOWN });
        return { ...state, solvers: ranking };
      }
      const { ranking } = await leaderboard.get.query({ board, window, limit: SHOWN });
      return { ...state, participants: ranking };
    } catch (error) {
      if (error instanceof Error && (error as { status?: unknown }).status === BAD_REQUEST)
        return { ...state, problem: error.message };
      throw error;
    }
  },
  status: ({ problem }) => (problem === null ? 200 : BAD_REQUEST),
  View: LeaderboardsView,
  subscription: () => ({}),
});
