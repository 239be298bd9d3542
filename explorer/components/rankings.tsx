import type { ComponentChildren, VNode } from "preact";
import type { Leaderboard, SolverLeaderboard } from "../../client/src/api";
import { type Column, type Sorting, Table } from "./blocks";
import { type RecordKind, RecordLink } from "./record-link";
import { Account, Count, Dollars, None } from "./values";

type Ranked = Leaderboard["ranking"][number];
type RankedSolver = SolverLeaderboard["ranking"][number];

const FULL = 100;

/** Dollars with their share of the largest value as a bar. The bar is decoration. */
const Volume = ({ value, largest }: { value: string; largest: number }) => (
  <span class="volume">
    <Dollars value={value} />
    <svg viewBox={`0 0 ${FULL} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-fill" width={largest === 0 ? 0 : (Number(value) / largest) * FULL} height="6" />
    </svg>
  </span>
);

const largestOf = (rows: readonly { volume_usd: string }[]) =>
  Math.max(0, ...rows.map(({ volume_usd }) => Number(volume_usd)));

const rank: Column<{ rank: number }> = { label: "Rank", cell: (row) => <Count value={row.rank} /> };

const kinds: Readonly<Record<Leaderboard["board"], RecordKind>> = {
  merchants: "merchant",
  services: "service",
  solvers: "solver",
  agents: "agent",
  facilitators: "facilitator",
};

/** A registered participant by its record, others by their address. */
const participant = (kind: RecordKind, id: string | null, name: string | null, key: string): ComponentChildren =>
  id === null ? <Account value={key} /> : <RecordLink kind={kind} id={id} name={name} />;

type Props<Row> = { rows: readonly Row[]; caption: string; empty: VNode };

type RankingProps = Props<Ranked> & { board: Leaderboard["board"]; title: string; counterparties: string };

/** Participants by the dollars of their receipts. */
export const RankingTable = ({ rows, board, title, counterparties, caption, empty }: RankingProps) => {
  const largest = largestOf(rows);
  return (
    <Table
      caption={caption}
      empty={empty}
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        rank,
        {
          label: title,
          cell: ({ id, name, service_id, key }) => participant(kinds[board], id, name ?? service_id, key),
        },
        { label: "Volume", isNumber: true, cell: ({ volume_usd }) => <Volume value={volume_usd} largest={largest} /> },
        { label: "Receipts", isNumber: true, cell: ({ count }) => <Count value={count} /> },
        { label: counterparties, isNumber: true, cell: (row) => <Count value={row.counterparties} /> },
        { label: "Self-dealing, not counted", isNumber: true, cell: ({ self_count }) => <Count value={self_count} /> },
      ]}
    />
  );
};

const percent = (ratio: string) => `${(Number(ratio) * 100).toFixed(1)} %`;

/** Solvers by one of several numbers. */
export const SolverRankingTable = ({ rows, caption, empty, sorting }: Props<RankedSolver> & { sorting: Sorting }) => {
  const largest = largestOf(rows);
  return (
    <Table
      caption={caption}
      empty={empty}
      sorting={sorting}
      rows={rows}
      rowKey={({ solver }) => solver}
      columns={[
        rank,
        { label: "Solver", cell: ({ solver_id, name, solver }) => participant("solver", solver_id, name, solver) },
        {
          label: "Volume",
          isNumber: true,
          sort: { descending: "volume" },
          cell: ({ volume_usd }) => <Volume value={volume_usd} largest={largest} />,
        },
        {
          label: "Surplus",
          isNumber: true,
          sort: { descending: "surplus" },
          cell: ({ surplus_usd }) => <Dollars value={surplus_usd} />,
        },
        { label: "Fills", isNumber: true, sort: { descending: "fills" }, cell: ({ fills }) => <Count value={fills} /> },
        { label: "Bids", isNumber: true, cell: ({ bids }) => <Count value={bids} /> },
        {
          label: "Win rate",
          isNumber: true,
          sort: { descending: "win_rate" },
          cell: ({ win_rate }) =>
            win_rate === null ? <None>no bids</None> : <data value={win_rate}>{percent(win_rate)}</data>,
        },
        { label: "Owners served", isNumber: true, cell: ({ counterparties }) => <Count value={counterparties} /> },
      ]}
    />
  );
};
