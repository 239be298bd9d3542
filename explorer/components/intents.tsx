import type { Intent } from "../../client/src/api";
import { type Column, type Rows, Table } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Status, Time } from "./values";

const byTime = { descending: "newest", ascending: "oldest" } as const;

const columns: readonly Column<Intent>[] = [
  { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
  { label: "State", cell: ({ status }) => <Status value={status} /> },
  { label: "Owner", filter: "owner", cell: ({ owner }) => <Account value={owner} /> },
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
  {
    label: "Deadline",
    sort: { ascending: "deadline" },
    cell: ({ deadline }) => <Time seconds={deadline} isDeadline />,
  },
  { label: "Submitted", sort: byTime, cell: ({ submitted_at }) => <Time seconds={submitted_at} /> },
];

export const IntentTable = ({ rows, caption, sorting, of }: Rows<Intent>) => (
  <Table
    caption={caption}
    columns={columns}
    rows={rows}
    rowKey={({ intent_id }) => intent_id}
    empty="No intents."
    sorting={sorting}
    of={of}
  />
);
