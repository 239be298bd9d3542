import type { PaidSnapshot } from "../../client/src/index";
import { Facts, Section, Table } from "./blocks";
import { Donut } from "./donut";
import { Hex } from "./hex";
import { Account, Count, IsoTime, None } from "./values";

const usd = (value: string | null) => (value === null ? <None>no price</None> : `$${value}`);

/** A portfolio that was bought. */
export function Snapshot({ snapshot, payment }: PaidSnapshot) {
  const { address, summary, tokens, timestamp } = snapshot;
  const name = (token: (typeof tokens)[number]) => token.symbol ?? token.contract ?? "unknown";
  return (
    <div id="snapshot">
      <Section title="Holdings">
        <Facts
          items={[
            { field: "address", label: "Wallet", value: <Account value={address} full /> },
            { field: "totalValueUsd", label: "Total value", value: usd(summary.totalValueUsd) },
            { field: "tokenCount", label: "Tokens", value: <Count value={summary.tokenCount} /> },
            { field: "timestamp", label: "Read", value: <IsoTime value={timestamp} /> },
            {
              field: "transaction",
              label: "Paid in transaction",
              value: payment === null ? <None>nothing was paid</None> : <Hex value={payment.transaction} full />,
            },
          ]}
        />
        {summary.warnings.map((warning) => (
          <p key={warning} class="warning">
            {warning}
          </p>
        ))}
        <Donut
          title="Value by token"
          slices={tokens.map((token) => ({
            label: `${name(token)} on ${token.chain}`,
            value: Number(token.valueUsd ?? 0),
            shown: token.valueUsd ?? "0",
          }))}
        />
        <Table
          caption="Tokens"
          empty="The wallet holds no tokens."
          rows={tokens}
          rowKey={({ chain, contract }) => `${chain} ${contract}`}
          columns={[
            { label: "Token", cell: (token) => name(token) },
            { label: "Chain", cell: ({ chain }) => chain },
            {
              label: "Balance",
              isNumber: true,
              cell: ({ balance, rawBalance }) => (
                <data value={rawBalance} title={rawBalance}>
                  {balance ?? rawBalance}
                </data>
              ),
            },
            { label: "Price", isNumber: true, cell: ({ priceUsd }) => usd(priceUsd) },
            { label: "Value", isNumber: true, cell: ({ valueUsd }) => usd(valueUsd) },
          ]}
        />
      </Section>
    </div>
  );
}
