import type { ComponentChildren } from "preact";
import type { Bid, Intent, IntentMetadataRecord } from "../../client/src/api";
import { Facts, Heading, Section, Table } from "../components/blocks";
import { EventLog } from "../components/event-log";
import { Hex } from "../components/hex";
import { RecordLink } from "../components/record-link";
import { Amount, Token } from "../components/tokens";
import { Account, Count, decimalFact, None, Status, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";

const BIDS = 100;

type Data = {
  intent: Intent;
  bids: readonly Bid[];
  hasMoreBids: boolean;
  /** It may not be among the best bids. */
  selected: Bid | null;
  metadata: IntentMetadataRecord | null;
  /** Whether the required schema was published, or is used on chain. */
  isSchemaKnown: boolean;
};

type Step = { name: string; isReached: boolean; details: ComponentChildren };

/** The states of an intent in order, and how far it has come. */
function stepsOf({ intent, bids, hasMoreBids, selected }: Data): Step[] {
  const { status, fill } = intent;
  const outcome: Step =
    status === "FILLED" && fill
      ? {
          name: "Filled",
          isReached: true,
          details: (
            <>
              <Time seconds={fill.filled_at} /> in <Transaction value={fill.tx_hash} />
            </>
          ),
        }
      : status === "CANCELLED"
        ? { name: "Cancelled", isReached: true, details: "by its owner" }
        : status === "EXPIRED"
          ? { name: "Expired", isReached: true, details: <Time seconds={intent.deadline} /> }
          : {
              name: "Fill",
              isReached: false,
              details: (
                <>
                  until <Time seconds={intent.deadline} />
                </>
              ),
            };
  return [
    {
      name: "Submitted",
      isReached: true,
      details: (
        <>
          <Time seconds={intent.submitted_at} /> in <Transaction value={intent.tx_hash} />
        </>
      ),
    },
    {
      name: "Bids",
      isReached: bids.length > 0,
      details: bids.length === 0 ? "none yet" : `${hasMoreBids ? "more than " : ""}${bids.length} received`,
    },
    {
      name: "Bid selected",
      isReached: selected !== null,
      details: selected ? <Account value={selected.solver} /> : "none",
    },
    outcome,
  ];
}

const Timeline = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="timeline">
    {steps.map(({ name, isReached, details }) => (
      <li key={name} class={isReached ? "reached" : undefined}>
        <strong>
          {name}
          <span class="visually-hidden">{isReached ? " (reached)" : " (not reached)"}</span>
        </strong>
        <span>{details}</span>
      </li>
    ))}
  </ol>
);

const Terms = ({ intent }: { intent: Intent }) => (
  <Section title="Terms" id="terms">
    <Facts
      items={[
        { field: "status", label: "State", value: <Status value={intent.status} /> },
        { field: "owner", label: "Owner", value: <Account value={intent.owner} full /> },
        { field: "intent_type", label: "Type", value: <code>{intent.intent_type}</code> },
        {
          field: "amount_in_max",
          label: "Sells at most",
          value: <Amount value={intent.amount_in_max} token={intent.input_token} full />,
        },
        { field: "input_token", label: "Token to sell", value: <Token value={intent.input_token} full /> },
        {
          field: "amount_out_min",
          label: "For at least",
          value: <Amount value={intent.amount_out_min} token={intent.output_token} full />,
        },
        { field: "output_token", label: "Token to buy", value: <Token value={intent.output_token} full /> },
        ...decimalFact("amount_in_usd", "Sells at most, in dollars", intent.amount_in_usd, "$"),
        ...decimalFact("amount_out_usd", "For at least, in dollars", intent.amount_out_usd, "$"),
        ...decimalFact("price", "Price", intent.price),
        ...decimalFact("surplus_bps", "Surplus in basis points", intent.surplus_bps),
        ...decimalFact("surplus_usd", "Surplus in dollars", intent.surplus_usd, "$"),
        { field: "slippage_bps", label: "Slippage in basis points", value: <Count value={intent.slippage_bps} /> },
        { field: "deadline", label: "Deadline", value: <Time seconds={intent.deadline} /> },
        { field: "nonce", label: "Nonce", value: <Count value={intent.nonce} /> },
        { field: "intent_hash", label: "Intent hash", value: <Hex value={intent.intent_hash} full /> },
        { field: "tx_hash", label: "Submitted in", value: <Transaction value={intent.tx_hash} full /> },
        { field: "block_number", label: "Block", value: <Count value={intent.block_number} /> },
        { field: "submitted_at", label: "Submitted", value: <Time seconds={intent.submitted_at} /> },
      ]}
    />
  </Section>
);

const Bids = ({ intent, bids, hasMoreBids }: Data) => (
  <Section
    title="Bids"
    id="bids"
    note={hasMoreBids ? `Best first. These are the best ${BIDS}.` : "Best first. New bids appear here."}
  >
    <Table
      caption="Bids, best first"
      empty="No bids."
      rows={bids}
      rowKey={({ bid_id }) => bid_id}
      columns={[
        { label: "Bid", cell: ({ bid_id }) => <code class="text">{bid_id}</code> },
        { label: "State", cell: ({ status }) => <Status value={status} /> },
        { label: "Solver", cell: ({ solver }) => <Account value={solver} /> },
        {
          label: "Pays out",
          isNumber: true,
          cell: ({ amount_out }) => <Amount value={amount_out} token={intent.output_token} />,
        },
        {
          label: "Takes",
          isNumber: true,
          cell: ({ amount_in }) => <Amount value={amount_in} token={intent.input_token} />,
        },
        // An integer whose token the contract does not define; the parties agree on it.
        { label: "Fee in smallest units", isNumber: true, cell: ({ fee }) => <Amount value={fee} /> },
        { label: "Valid until", cell: ({ valid_until }) => <Time seconds={valid_until} /> },
        { label: "Made", cell: ({ source }) => (source === "onchain" ? "on chain" : "off chain") },
      ]}
    />
  </Section>
);

const hashOrNone = (value: string | null) => (value === null ? <None>no commitment</None> : <Hex value={value} full />);

const Commitments = ({ intent: { execution }, isSchemaKnown }: Pick<Data, "intent" | "isSchemaKnown">) => (
  <Section title="Commitments on chain" note="The owner signed these. The contract accepts no other execution.">
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
  </Section>
);

const Metadata = ({ metadata }: { metadata: IntentMetadataRecord | null }) => (
  <Section title="Metadata off chain">
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
  </Section>
);

const Fill = ({ intent: { fill, input_token, output_token } }: { intent: Intent }) =>
  fill && (
    <Section title="Fill" id="fill">
      <Facts
        items={[
          { field: "solver", label: "Solver", value: <Account value={fill.solver} full /> },
          { field: "amount_in", label: "Took", value: <Amount value={fill.amount_in} token={input_token} full /> },
          ...decimalFact("amount_in_usd", "Took, in dollars", fill.amount_in_usd, "$"),
          ...decimalFact("amount_out_usd", "Paid out, in dollars", fill.amount_out_usd, "$"),
          {
            field: "amount_out",
            label: "Paid out",
            value: <Amount value={fill.amount_out} token={output_token} full />,
          },
          {
            field: "bid_id",
            label: "Bid",
            value: fill.bid_id === null ? <None /> : <code class="text">{fill.bid_id}</code>,
          },
          { field: "result_hash", label: "Result hash", value: <Hex value={fill.result_hash} full /> },
          { field: "trace_hash", label: "Trace hash", value: <Hex value={fill.trace_hash} full /> },
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
          { field: "tx_hash", label: "Transaction", value: <Transaction value={fill.tx_hash} full /> },
          { field: "block_number", label: "Block", value: <Count value={fill.block_number} /> },
          { field: "filled_at", label: "Filled", value: <Time seconds={fill.filled_at} /> },
        ]}
      />
    </Section>
  );

const IntentView = ({ data, live }: ViewProps<Data>) => (
  <>
    <Heading kind="Intent">
      Intent #{data.intent.intent_id} <Status value={data.intent.status} />
    </Heading>
    <Timeline steps={stepsOf(data)} />
    <Bids {...data} />
    <Fill intent={data.intent} />
    <Terms intent={data.intent} />
    <div class="columns">
      <Commitments {...data} />
      <Metadata metadata={data.metadata} />
    </div>
    <EventLog title="Events of this intent" live={live} />
  </>
);

export const intentPage = page<Data>({
  path: links.intent(":id"),
  title: ({ intent }) => `Intent #${intent.intent_id}`,
  async load({ intents, bids, search }, { id = "" }) {
    const [intent, page] = await Promise.all([intents.get.query({ id }), bids.list.query({ id, limit: BIDS })]);
    const { intent_hash: intentHash, owner, metadata, execution } = intent;
    const schema = execution.required_attestation_schema;
    const hasMoreBids = page.pagination.next_cursor !== null;
    const { bids: selected } = hasMoreBids ? await bids.list.query({ id, status: "selected", limit: 1 }) : page;
    return {
      intent,
      bids: page.bids,
      hasMoreBids,
      selected: selected.find((bid) => bid.status === "SELECTED") ?? null,
      metadata: metadata && (await ifFound(intents.metadata.query({ intentHash, owner }))),
      isSchemaKnown: schema
        ? (await search.find.query({ q: schema })).matches.some(({ type }) => type === "schema")
        : false,
    };
  },
  View: IntentView,
  subscription: ({ intent }) => ({ filter: { intent_id: intent.intent_id } }),
});
