import type { Bid, FillRecord } from "../../client/src/api";
import { links } from "../links";
import { type Column, type Rows, Table } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Dollars, None, Percent, Status, Time, Transaction } from "./values";

const byTime = { descending: "newest", ascending: "oldest" } as const;

/** What a fill or a bid pays beyond the intent's minimum. */
const Surplus = ({ row }: { row: Pick<Bid, "surplus_bps" | "surplus_usd"> }) =>
  row.surplus_bps === null ? (
    <None>unknown</None>
  ) : (
    <>
      <Percent basisPoints={row.surplus_bps} /> <Dollars value={row.surplus_usd} />
    </>
  );

/** Amounts of a bid whose intent is unknown stay in smallest units. */
const tokenOf = (token: string | null) => token ?? undefined;

const bidColumns: readonly Column<Bid>[] = [
  { label: "Bid", cell: ({ bid_id, intent_id }) => <a href={links.intent(intent_id)}>Bid {bid_id}</a> },
  { label: "State", cell: ({ status }) => <Status value={status} /> },
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "Solver", filter: "solver", cell: ({ solver }) => <Account value={solver} /> },
  {
    label: "Takes",
    isNumber: true,
    cell: ({ amount_in, input_token, amount_in_usd }) => (
      <Amount value={amount_in} token={tokenOf(input_token)} usd={amount_in_usd} />
    ),
  },
  {
    label: "Pays out",
    isNumber: true,
    cell: ({ amount_out, output_token, amount_out_usd }) => (
      <Amount value={amount_out} token={tokenOf(output_token)} usd={amount_out_usd} />
    ),
  },
  { label: "Surplus", isNumber: true, cell: (row) => <Surplus row={row} /> },
  { label: "Made", sort: byTime, cell: ({ created_at }) => <Time seconds={created_at} /> },
];

export const BidTable = ({ rows, caption, sorting, of }: Rows<Bid>) => (
  <Table
    caption={caption}
    columns={bidColumns}
    rows={rows}
    rowKey={({ bid_id }) => bid_id}
    empty="No bids."
    sorting={sorting}
    of={of}
  />
);

const fillColumns: readonly Column<FillRecord>[] = [
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "Solver", filter: "solver", cell: ({ solver }) => <Account value={solver} /> },
  { label: "Owner", filter: "owner", cell: ({ owner }) => <Account value={owner} /> },
  {
    label: "Took",
    isNumber: true,
    cell: ({ amount_in, input_token, amount_in_usd }) => (
      <Amount value={amount_in} token={input_token} usd={amount_in_usd} />
    ),
  },
  {
    label: "Paid out",
    isNumber: true,
    cell: ({ amount_out, output_token, amount_out_usd }) => (
      <Amount value={amount_out} token={output_token} usd={amount_out_usd} />
    ),
  },
  { label: "Surplus", isNumber: true, cell: (row) => <Surplus row={row} /> },
  { label: "Transaction", cell: ({ tx_hash }) => <Transaction value={tx_hash} /> },
  { label: "Filled", sort: byTime, cell: ({ filled_at }) => <Time seconds={filled_at} /> },
];

export const FillTable = ({ rows, caption, sorting, of }: Rows<FillRecord>) => (
  <Table
    caption={caption}
    columns={fillColumns}
    rows={rows}
    rowKey={({ intent_id }) => intent_id}
    empty="No fills."
    sorting={sorting}
    of={of}
  />
);
