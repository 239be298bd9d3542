import type { Settlement, SettlementLine } from "../../client/src/api";
import { links } from "../links";
import { type Rows, Table } from "./blocks";
import { Hex } from "./hex";
import { Amount } from "./tokens";
import { Account, None } from "./values";

/** A line with its settlement. Undefined if the lines are unknown, or if they are too many. */
type Row = { settlement: Settlement; line: SettlementLine | undefined; key: string };

/** The lines of a settlement that one table shows. Its own page has all. */
const SHOWN = 50;

const rowsOf = (settlement: Settlement): Row[] => {
  const { lines, execution_hash } = settlement;
  return lines === null || lines.length > SHOWN
    ? [{ settlement, line: undefined, key: execution_hash }]
    : lines.map((line, index) => ({ settlement, line, key: `${execution_hash} ${index}` }));
};

/** Who paid whom in settlements. */
export const SettledTable = ({ rows, caption }: Rows<Settlement>) => (
  <Table
    caption={caption}
    rows={rows.flatMap(rowsOf)}
    rowKey={({ key }) => key}
    empty="No settlements."
    columns={[
      { label: "From", cell: ({ settlement: { payer } }) => <Account value={payer} /> },
      {
        label: "To",
        cell: ({ settlement, line }) =>
          line ? (
            <Account value={line.recipient} />
          ) : (
            <None>{settlement.lines ? `${settlement.lines.length} recipients` : "unknown recipients"}</None>
          ),
      },
      {
        label: "Amount",
        isNumber: true,
        cell: ({ settlement, line }) =>
          line && settlement.lines?.length !== 1 ? (
            <Amount value={line.amount} token={line.token} />
          ) : (
            <Amount value={settlement.gross_amount} token={settlement.token} usd={settlement.amount_usd} />
          ),
      },
      {
        label: "Settlement",
        cell: ({ settlement: { execution_hash } }) => (
          <Hex value={execution_hash} href={links.settlement(execution_hash)} />
        ),
      },
    ]}
  />
);
