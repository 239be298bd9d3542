import type { Leaderboard, RankedParticipant } from "../../client/src/api";
import { links } from "../links";
import { Bars } from "./bars";
import { type RecordKind, RecordLink } from "./record-link";
import { Account, Count, Dollars } from "./values";

type BoardName = Leaderboard["board"];

const kinds: Readonly<Record<BoardName, RecordKind>> = {
  merchants: "merchant",
  services: "service",
  solvers: "solver",
  agents: "agent",
  facilitators: "facilitator",
};

const Participant = ({ board, row: { key, id, name, service_id } }: { board: BoardName; row: RankedParticipant }) =>
  id === null ? <Account value={key} bare /> : <RecordLink kind={kinds[board]} id={id} name={name ?? service_id} />;

const unitOf = (board: BoardName, count: string) =>
  (board === "solvers" ? "fill" : "receipt") + (count === "1" ? "" : "s");

/** The best of a board as bars of dollars. */
export const Board = ({ board, ranking }: Pick<Leaderboard, "board" | "ranking">) => (
  <Bars
    empty={`No ${board} in the last 7 days`}
    bars={ranking.map((row) => ({
      key: row.key,
      label: <Participant board={board} row={row} />,
      value: row.volume_usd,
      shown: (
        <>
          <Dollars value={row.volume_usd} />{" "}
          <span class="unit">
            in <Count value={row.count} /> {unitOf(board, row.count)}
          </span>
        </>
      ),
    }))}
  />
);

/** The address of a board with all its ranks. */
export const boardLink = (board: BoardName) => `${links.list("leaderboards")}?board=${board}`;
