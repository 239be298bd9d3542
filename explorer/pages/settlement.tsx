import type { Settlement, SettlementLine } from "../../client/src/api";
import { Facts, Heading, type Rows, Section, Table, TableSection } from "../components/blocks";
import { Hex } from "../components/hex";
import { Amount, Token } from "../components/tokens";
import { Account, Count, decimalFact, FoundHash, None, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { describeSettlement } from "../social/descriptions";
import { shortHex } from "../text/format";

const Unknown = () => <None>unknown: a contract made the call</None>;

const LineTable = ({ rows, caption }: Rows<SettlementLine>) => (
  <Table
    caption={caption}
    rows={rows}
    rowKey={(line) => String(rows.indexOf(line))}
    empty="The lines are unknown: a contract made the call."
    columns={[
      { label: "Kind", isNumber: true, cell: ({ kind }) => <Count value={kind} /> },
      { label: "Recipient", cell: ({ recipient }) => <Account value={recipient} /> },
      { label: "Amount", isNumber: true, cell: ({ amount, token }) => <Amount value={amount} token={token} /> },
      { label: "Metadata hash", cell: ({ metadata_hash }) => <Hex value={metadata_hash} /> },
    ]}
  />
);

/** Anyone may settle a quote that was never committed. */
type Data = { settlement: Settlement; hasQuote: boolean };

const SettlementView = ({ data: { settlement, hasQuote } }: ViewProps<Data>) => (
  <>
    <Heading kind="Settlement">
      <Hex value={settlement.execution_hash} full />
    </Heading>
    <Section title="Payment">
      <Facts
        items={[
          {
            field: "gross_amount",
            label: "Amount",
            value: <Amount value={settlement.gross_amount} token={settlement.token} full />,
          },
          ...decimalFact("amount_usd", "In dollars", settlement.amount_usd, "$"),
          { field: "token", label: "Token", value: <Token value={settlement.token} full /> },
          { field: "payer", label: "Paid by", value: <Account value={settlement.payer} full /> },
          {
            field: "quote_hash",
            label: "For the quote",
            value: (
              <Hex
                value={settlement.quote_hash}
                full
                href={hasQuote ? links.quote(settlement.quote_hash) : undefined}
              />
            ),
          },
          {
            field: "settlement_plan_hash",
            label: "Settlement plan hash",
            value: <FoundHash value={settlement.settlement_plan_hash} full />,
          },
          {
            field: "deadline",
            label: "Deadline",
            value: settlement.deadline === null ? <Unknown /> : <Time seconds={settlement.deadline} />,
          },
          { field: "executions", label: "Executions", value: <Count value={settlement.executions} /> },
          { field: "executed_at", label: "Executed", value: <Time seconds={settlement.executed_at} /> },
          { field: "tx_hash", label: "Transaction", value: <Transaction value={settlement.tx_hash} full /> },
          { field: "block_number", label: "Block", value: <Count value={settlement.block_number} /> },
        ]}
      />
    </Section>
    <TableSection
      title="Lines"
      id="lines"
      Rows={LineTable}
      rows={settlement.lines ?? []}
      caption="Lines of this settlement"
    />
  </>
);

export const settlementPage = page<Data>({
  path: links.settlement(":hash"),
  title: ({ settlement }) => `Settlement ${shortHex(settlement.execution_hash)}`,
  description: ({ settlement }, words) => describeSettlement(settlement, words),
  async load({ settlements, quotes }, { hash = "" }) {
    const settlement = await settlements.get.query({ executionHash: hash });
    const quote = await ifFound(quotes.get.query({ quoteHash: settlement.quote_hash }));
    return { settlement, hasQuote: quote !== null };
  },
  View: SettlementView,
  subscription: () => ({ filter: { contract: "SettlementAdapter" } }),
});
