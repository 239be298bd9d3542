import type { Bid, FillRecord } from "../../client/src/api";
import { type Rows, Table } from "./blocks";
import { RecordLink } from "./record-link";
import { Amount } from "./tokens";
import { Account, Dollars, None, Percent, Status, Time, Transaction } from "./values";

/** What a fill or a bid pays beyond the intent's minimum. */
const Surplus = ({ row }: { row: Pick<Bid, "surplus_bps" | "surplus_usd"> }) =>
  row.surplus_bps === null ? (
    <None>unknown</None>
  ) : (
    <>
      <Percent basisPoints={row.surplus_bps} /> <Dollars value={row.surplus_usd} />
    </>
  );

export const FillTable = ({ rows, caption }: Rows<FillRecord>) => (
  <Table
    caption={caption}
    rows={rows}
    rowKey={({ intent_id }) => intent_id}
    empty="No fills."
    columns={[
      { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
      { label: "Owner", cell: ({ owner }) => <Account value={owner} /> },
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
      { label: "Surplus", isNumber: true, cell: (fill) => <Surplus row={fill} /> },
      { label: "Transaction", cell: ({ tx_hash }) => <Transaction value={tx_hash} /> },
      { label: "Filled", cell: ({ filled_at }) => <Time seconds={filled_at} /> },
    ]}
  />
);

/** An amount of a bid, whose tokens only the intent names: in dollars, or else in the smallest units. */
const BidAmount = ({ value, usd }: { value: string; usd: string | null }) =>
  usd === null ? (
    <>
      <Amount value={value} /> <span class="unit">units</span>
    </>
  ) : (
    <Dollars value={usd} />
  );

export const BidTable = ({ rows, caption }: Rows<Bid>) => (
  <Table
    caption={caption}
    rows={rows}
    rowKey={({ bid_id }) => bid_id}
    empty="No bids."
    columns={[
      { label: "Intent", cell: ({ intent_id }) => <RecordLink kind="intent" id={intent_id} /> },
      { label: "State", cell: ({ status }) => <Status value={status} /> },
      {
        label: "Pays out",
        isNumber: true,
        cell: ({ amount_out, amount_out_usd }) => <BidAmount value={amount_out} usd={amount_out_usd} />,
      },
      {
        label: "Takes",
        isNumber: true,
        cell: ({ amount_in, amount_in_usd }) => <BidAmount value={amount_in} usd={amount_in_usd} />,
      },
      { label: "Surplus", isNumber: true, cell: (bid) => <Surplus row={bid} /> },
      { label: "Valid until", cell: ({ valid_until }) => <Time seconds={valid_until} /> },
      { label: "Made", cell: ({ created_at }) => <Time seconds={created_at} /> },
    ]}
  />
);
