import type { Quote, Settlement } from "../../client/src/api";
import { Facts, Heading, Section, TableSection, Technical } from "../components/blocks";
import { Hex } from "../components/hex";
import { LineTable } from "../components/payment";
import { RecordLink } from "../components/record-link";
import { Amount, Token } from "../components/tokens";
import { Account, Block, Count, decimalFact, None, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { describeSettlement } from "../social/descriptions";
import { counted } from "../social/words";
import { shortHex } from "../text/format";

/** Anyone may settle a quote that was never committed. */
type Data = { settlement: Settlement; quote: Quote | null };

const View = ({ data: { settlement, quote } }: ViewProps<Data>) => (
  <>
    <Heading
      kind={
        <>
          Settlement <Hex value={settlement.execution_hash} />
        </>
      }
      lead={
        <>
          Paid by <Account value={settlement.payer} bare /> <Time seconds={settlement.executed_at} /> in{" "}
          <Transaction value={settlement.tx_hash} bare />, split over{" "}
          {settlement.lines === null ? "unknown lines" : counted(settlement.lines.length, "line")}.
        </>
      }
    >
      <Amount value={settlement.gross_amount} token={settlement.token} />
      {quote && (
        <>
          {" "}
          to <RecordLink kind="merchant" id={quote.merchant_id} /> for{" "}
          <RecordLink kind="service" id={quote.service_numeric_id} before="service" />
        </>
      )}
    </Heading>
    <TableSection
      title="Who got paid"
      id="lines"
      Rows={LineTable}
      rows={settlement.lines ?? []}
      caption="Lines of this settlement"
    />
    <Section title="Payment">
      <Facts
        items={[
          {
            field: "gross_amount",
            label: "Amount",
            value: <Amount value={settlement.gross_amount} token={settlement.token} full />,
          },
          ...decimalFact("amount_usd", "In dollars", settlement.amount_usd, "$"),
          { field: "payer", label: "Paid by", value: <Account value={settlement.payer} full /> },
          {
            field: "quote_hash",
            label: "For the quote",
            value: (
              <Hex value={settlement.quote_hash} full href={quote ? links.quote(settlement.quote_hash) : undefined} />
            ),
          },
          { field: "executed_at", label: "Executed", value: <Time seconds={settlement.executed_at} full /> },
          { field: "executions", label: "Executions", value: <Count value={settlement.executions} /> },
        ]}
      />
    </Section>
    <Technical>
      <Facts
        items={[
          { field: "execution_hash", label: "Execution hash", value: <Hex value={settlement.execution_hash} full /> },
          { field: "token", label: "Token", value: <Token value={settlement.token} full /> },
          {
            field: "settlement_plan_hash",
            label: "Settlement plan hash",
            value: <Hex value={settlement.settlement_plan_hash} full />,
          },
          {
            field: "deadline",
            label: "Deadline",
            value:
              settlement.deadline === null ? (
                <None>unknown: a contract made the call</None>
              ) : (
                <Time seconds={settlement.deadline} isDeadline full />
              ),
          },
          { field: "tx_hash", label: "Transaction", value: <Transaction value={settlement.tx_hash} full /> },
          { field: "block_number", label: "Block", value: <Block value={settlement.block_number} /> },
        ]}
      />
    </Technical>
  </>
);

export const settlementPage = page<Data>({
  path: links.settlement(":hash"),
  title: ({ settlement }) => `Settlement ${shortHex(settlement.execution_hash)}`,
  description: ({ settlement }, words) => describeSettlement(settlement, words),
  async load({ settlements, quotes }, { hash = "" }) {
    const settlement = await settlements.get.query({ executionHash: hash });
    return { settlement, quote: await ifFound(quotes.get.query({ quoteHash: settlement.quote_hash })) };
  },
  View,
  subscription: () => ({ filter: { contract: "SettlementAdapter" } }),
});
