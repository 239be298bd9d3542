import type { CompetingBid, Intent } from "../../client/src/api";
import { percentOfBasisPoints } from "../text/short-number";
import { Bars } from "./bars";
import { Empty, Section, Table } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Status, Time } from "./values";

/** How many bids the chart compares. */
const CHARTED = 10;

const Bidder = ({ bid: { solver, solver_id } }: { bid: CompetingBid }) =>
  solver_id === null ? <Account value={solver} bare /> : <RecordLink kind="solver" id={solver_id} />;

/** Basis points as percent, such as "−0.25 %". */
const percentText = (bps: string) => `${Number(bps) > 0 ? "+" : ""}${percentOfBasisPoints(bps).replace("-", "−")}`;

/** What the bids pay beyond the minimum, so that small differences are visible. */
const BidBars = ({ intent, bids }: Props) => (
  <Bars
    empty="No bids yet"
    bars={bids.slice(0, CHARTED).map((bid) => ({
      key: bid.bid_id,
      label: <Bidder bid={bid} />,
      value: String(BigInt(bid.amount_out) - BigInt(intent.amount_out_min)),
      shown: <Amount value={bid.amount_out} token={intent.output_token} />,
    }))}
  />
);

const BidTable = ({ intent, bids }: Props) => (
  <Table
    caption="Bids, best first"
    empty="No bids"
    rows={bids}
    rowKey={({ bid_id }) => bid_id}
    columns={[
      { label: "Rank", isNumber: true, cell: ({ rank }) => rank },
      { label: "Solver", cell: (bid) => <Bidder bid={bid} /> },
      { label: "State", cell: ({ status }) => <Status value={status} /> },
      {
        label: "Pays out",
        isNumber: true,
        cell: ({ amount_out }) => <Amount value={amount_out} token={intent.output_token} />,
      },
      {
        label: bids.some(({ status }) => status === "SELECTED") ? "Against the winner" : "Against the best",
        isNumber: true,
        cell: ({ difference_bps }) =>
          difference_bps === null ? "" : <data value={difference_bps}>{percentText(difference_bps)}</data>,
      },
      {
        label: "Takes",
        isNumber: true,
        cell: ({ amount_in }) => <Amount value={amount_in} token={intent.input_token} />,
      },
      { label: "Fee", isNumber: true, cell: ({ fee }) => <Amount value={fee} /> },
      { label: "Valid until", cell: ({ valid_until }) => <Time seconds={valid_until} isDeadline /> },
      { label: "Made", cell: ({ source }) => (source === "onchain" ? "on chain" : "off chain") },
      { label: "Bid", cell: ({ bid_id }) => <code class="id">{bid_id}</code> },
    ]}
  />
);

type Props = { intent: Intent; bids: readonly CompetingBid[] };

/** How solvers compete for an intent. */
export const Competition = ({ intent, bids, hasMore }: Props & { hasMore: boolean }) => (
  <Section
    title="Competition"
    id="bids"
    note={`${hasMore ? `The best ${bids.length} bids` : "Best first"}. The bars show what ${bids.length > CHARTED ? `the first ${CHARTED} offer` : "they offer"} beyond the minimum.`}
  >
    {bids.length === 0 ? (
      <Empty title="No bids yet">A bid appears here when a solver offers to fill this intent.</Empty>
    ) : (
      <>
        <BidBars intent={intent} bids={bids} />
        <BidTable intent={intent} bids={bids} />
        <p class="note">The fee is an integer whose token the contract does not define; the parties agree on it.</p>
      </>
    )}
  </Section>
);
