import type { Intent, IntentMetadataRecord } from "../../client/src/api";
import { links } from "../links";
import { Facts, Fold, Section } from "./blocks";
import { Hex } from "./hex";
import { RecordLink } from "./record-link";
import { Amount, Token } from "./tokens";
import { Account, Block, Count, decimalFact, None, Percent, Time, Transaction } from "./values";

type Props = { intent: Intent };

/** What the owner asks for. */
export const Terms = ({ intent }: Props) => (
  <Section title="Terms" id="terms">
    <Facts
      items={[
        { field: "owner", label: "Owner", value: <Account value={intent.owner} /> },
        {
          field: "amount_in_max",
          label: "Sells at most",
          value: <Amount value={intent.amount_in_max} token={intent.input_token} full />,
        },
        {
          field: "amount_out_min",
          label: "For at least",
          value: <Amount value={intent.amount_out_min} token={intent.output_token} full />,
        },
        ...decimalFact("amount_in_usd", "Sells at most, in dollars", intent.amount_in_usd, "$"),
        ...decimalFact("amount_out_usd", "For at least, in dollars", intent.amount_out_usd, "$"),
        ...decimalFact("surplus_usd", "Surplus in dollars", intent.surplus_usd, "$"),
        { field: "slippage_bps", label: "Slippage", value: <Percent basisPoints={String(intent.slippage_bps)} /> },
        { field: "submitted_at", label: "Submitted", value: <Time seconds={intent.submitted_at} full /> },
      ]}
    />
    <Fold title="Hashes and signed fields">
      <Facts
        items={[
          { field: "intent_type", label: "Type", value: <code>{intent.intent_type}</code> },
          { field: "input_token", label: "Token to sell", value: <Token value={intent.input_token} full /> },
          { field: "output_token", label: "Token to buy", value: <Token value={intent.output_token} full /> },
          { field: "nonce", label: "Nonce", value: <Count value={intent.nonce} /> },
          { field: "intent_hash", label: "Intent hash", value: <Hex value={intent.intent_hash} full /> },
          { field: "tx_hash", label: "Submitted in", value: <Transaction value={intent.tx_hash} full /> },
          { field: "block_number", label: "Block", value: <Block value={intent.block_number} /> },
        ]}
      />
    </Fold>
  </Section>
);

const hashOrNone = (value: string | null) => (value === null ? <None>no commitment</None> : <Hex value={value} full />);

/** What a fill must execute. */
export const Commitments = ({ intent: { execution }, isSchemaKnown }: Props & { isSchemaKnown: boolean }) => (
  <Fold title="Commitments on chain">
    <p class="note">The owner signed these. The contract accepts no other execution.</p>
    <Facts
      items={[
        {
          field: "target",
          label: "Target",
          value: execution.target === null ? <None>any target</None> : <Account value={execution.target} full />,
        },
        { field: "data_hash", label: "Hash of the execution data", value: hashOrNone(execution.data_hash) },
        {
          field: "required_attestation_subject",
          label: "Required attestation about",
          value: hashOrNone(execution.required_attestation_subject),
        },
        {
          field: "required_attestation_schema",
          label: "Required attestation schema",
          value:
            execution.required_attestation_schema === null ? (
              <None>no commitment</None>
            ) : (
              <Hex
                value={execution.required_attestation_schema}
                full
                href={isSchemaKnown ? links.schema(execution.required_attestation_schema) : undefined}
              />
            ),
        },
        {
          field: "metadata_uri_hash",
          label: "Hash of the metadata URI",
          value: hashOrNone(execution.metadata_uri_hash),
        },
      ]}
    />
  </Fold>
);

/** What was published about the execution. */
export const Metadata = ({ metadata }: { metadata: IntentMetadataRecord | null }) => (
  <Fold title="Metadata off chain">
    {metadata === null ? (
      <p class="none">None was published.</p>
    ) : (
      <Facts
        items={[
          {
            field: "signed",
            label: "Signed by",
            value: metadata.signed ? (
              <>
                the owner, <Account value={metadata.owner} />
              </>
            ) : (
              <None>no one: any client may have published it</None>
            ),
          },
          {
            field: "execution_target",
            label: "Execution target",
            value: metadata.execution_target === null ? <None /> : <Account value={metadata.execution_target} full />,
          },
          {
            field: "execution_data",
            label: "Execution data",
            value: metadata.execution_data === null ? <None /> : <code class="text">{metadata.execution_data}</code>,
          },
        ]}
      />
    )}
  </Fold>
);

/** How the intent was filled, if it was. */
export const Fill = ({ intent: { fill, input_token, output_token } }: Props) =>
  fill && (
    <Section title="Fill" id="fill">
      <Facts
        items={[
          { field: "solver", label: "Solver", value: <Account value={fill.solver} /> },
          { field: "amount_in", label: "Took", value: <Amount value={fill.amount_in} token={input_token} full /> },
          {
            field: "amount_out",
            label: "Paid out",
            value: <Amount value={fill.amount_out} token={output_token} full />,
          },
          ...decimalFact("amount_in_usd", "Took, in dollars", fill.amount_in_usd, "$"),
          ...decimalFact("amount_out_usd", "Paid out, in dollars", fill.amount_out_usd, "$"),
          { field: "filled_at", label: "Filled", value: <Time seconds={fill.filled_at} full /> },
          {
            field: "attestation_id",
            label: "Attestation",
            value:
              fill.attestation_id === "0" ? (
                <data value="0">none</data>
              ) : (
                <RecordLink kind="attestation" id={fill.attestation_id} />
              ),
          },
        ]}
      />
      <Fold title="Hashes of the fill">
        <Facts
          items={[
            {
              field: "bid_id",
              label: "Bid",
              value: fill.bid_id === null ? <None /> : <code class="text">{fill.bid_id}</code>,
            },
            { field: "result_hash", label: "Result hash", value: <Hex value={fill.result_hash} full /> },
            { field: "trace_hash", label: "Trace hash", value: <Hex value={fill.trace_hash} full /> },
            { field: "tx_hash", label: "Transaction", value: <Transaction value={fill.tx_hash} full /> },
            { field: "block_number", label: "Block", value: <Block value={fill.block_number} /> },
          ]}
        />
      </Fold>
    </Section>
  );
