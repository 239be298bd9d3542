import type { Bid, FillRecord, Intent } from "../../client/src/api";
import { links } from "../links";
import { BasisPoints } from "./basis-points";
import { type Column, type Rows, Table } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Status, Time, Transaction } from "./values";

const byTime = { descending: "newest", ascending: "oldest" } as const;

const columns: readonly Column<Intent>[] = [
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "State", cell: ({ status }) => <Status value={status} /> },
  { label: "Owner", cell: ({ owner }) => <Account value={owner} /> },
  {
    label: "Sells at most",
    isNumber: true,
    cell: ({ amount_in_max, input_token, amount_in_usd }) => (
      <Amount value={amount_in_max} token={input_token} usd={amount_in_usd} />
    ),
  },
  {
    label: "For at least",
    isNumber: true,
    cell: ({ amount_out_min, output_token, amount_out_usd }) => (
      <Amount value={amount_out_min} token={output_token} usd={amount_out_usd} />
    ),
  },
  { label: "Deadline", sort: { ascending: "deadline" }, cell: ({ deadline }) => <Time seconds={deadline} /> },
  { label: "Submitted", sort: byTime, cell: ({ submitted_at }) => <Time seconds={submitted_at} /> },
];

export const IntentTable = ({ rows, caption, sorting }: Rows<Intent>) => (
  <Table
    caption={caption}
    columns={columns}
    rows={rows}
    rowKey={({ intent_id }) => intent_id}
    empty="No intents."
    sorting={sorting}
  />
);

/** Amounts of a bid whose intent is unknown stay in smallest units. */
const tokenOf = (token: string | null) => token ?? undefined;

const bidColumns: readonly Column<Bid>[] = [
  { label: "Bid", cell: ({ bid_id, intent_id }) => <a href={links.intent(intent_id)}>Bid {bid_id}</a> },
  { label: "State", cell: ({ status }) => <Status value={status} /> },
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "Solver", cell: ({ solver }) => <Account value={solver} /> },
  {
    label: "Takes",
    isNumber: true,
    cell: ({ amount_in, input_token, amount_in_usd }) => (
      <Amount value={amount_in} token={tokenOf(input_token)} usd={amount_in_usd} />
    ),
  },
  {
    label: "Delivers",
    isNumber: true,
    cell: ({ amount_out, output_token, amount_out_usd }) => (
      <Amount value={amount_out} token={tokenOf(output_token)} usd={amount_out_usd} />
    ),
  },
  { label: "Surplus", isNumber: true, cell: ({ surplus_bps }) => <BasisPoints value={surplus_bps} /> },
  { label: "Made", sort: byTime, cell: ({ created_at }) => <Time seconds={created_at} /> },
];

export const BidTable = ({ rows, caption, sorting }: Rows<Bid>) => (
  <Table
    caption={caption}
    columns={bidColumns}
    rows={rows}
    rowKey={({ bid_id }) => bid_id}
    empty="No bids."
    sorting={sorting}
  />
);

const fillColumns: readonly Column<FillRecord>[] = [
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "Solver", cell: ({ solver }) => <Account value={solver} /> },
  { label: "Owner", cell: ({ owner }) => <Account value={owner} /> },
  {
    label: "Sold",
    isNumber: true,
    cell: ({ amount_in, input_token, amount_in_usd }) => (
      <Amount value={amount_in} token={input_token} usd={amount_in_usd} />
    ),
  },
  {
    label: "Bought",
    isNumber: true,
    cell: ({ amount_out, output_token, amount_out_usd }) => (
      <Amount value={amount_out} token={output_token} usd={amount_out_usd} />
    ),
  },
  { label: "Surplus", isNumber: true, cell: ({ surplus_bps }) => <BasisPoints value={surplus_bps} /> },
  { label: "Transaction", cell: ({ tx_hash }) => <Transaction value={tx_hash} /> },
  { label: "Filled", sort: byTime, cell: ({ filled_at }) => <Time seconds={filled_at} /> },
];

export const FillTable = ({ rows, caption, sorting }: Rows<FillRecord>) => (
  <Table
    caption={caption}
    columns={fillColumns}
    rows={rows}
    rowKey={({ intent_id }) => intent_id}
    empty="No fills."
    sorting={sorting}
  />
);
