import type { Competition as Competing, CompetingBid, Intent, IntentMetadataRecord } from "../../client/src/api";
import { ActOnIntent } from "../acting/on-records";
import { Heading, Stats, selectedTab, Tabs } from "../components/blocks";
import { Competition } from "../components/competition";
import { EventLog } from "../components/event-log";
import { Commitments, Fill, Metadata, Terms } from "../components/intent-facts";
import { RawJson } from "../components/raw-json";
import { type Step, Timeline } from "../components/timeline";
import { Amount, useTokenName } from "../components/tokens";
import { Trade } from "../components/trades";
import { Account, Dollars, None, Status, Time, Transaction } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { ifFound } from "../reads";
import { describeIntent, tradeOf } from "../social/descriptions";
import { percentOfBasisPoints, shortNumber } from "../text/short-number";

const BIDS = 100;

const tabs = [
  { name: "trade", title: "Trade" },
  { name: "events", title: "Events" },
  { name: "json", title: "JSON" },
] as const;

type Data = {
  intent: Intent;
  bids: readonly CompetingBid[];
  hasMoreBids: boolean;
  winner: Competing["winner"];
  metadata: IntentMetadataRecord | null;
  /** Whether the required schema was published, or is used on chain. */
  isSchemaKnown: boolean;
};

/** The states of an intent in order, and how far it has come. */
function stepsOf({ intent, bids, hasMoreBids, winner }: Data): Step[] {
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
          ? { name: "Expired", isReached: true, details: <Time seconds={intent.deadline} isDeadline /> }
          : {
              name: "Fill",
              isReached: false,
              details: (
                <>
                  ends <Time seconds={intent.deadline} isDeadline />
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
      details: bids.length === 0 ? "none" : `${hasMoreBids ? "more than " : ""}${bids.length} received`,
    },
    {
      name: "Bid selected",
      isReached: winner?.is_selected === true,
      details: winner?.is_selected ? <Account value={winner.solver} bare /> : "none",
    },
    outcome,
  ];
}

/** One sentence about how it stands. */
function Lead({ intent: { status, fill, owner, output_token }, bids, winner }: Data) {
  const party = <Account value={owner} bare />;
  if (fill)
    return (
      <>
        {party} was paid <Amount value={fill.amount_out} token={output_token} usd={fill.amount_out_usd} /> by{" "}
        <Account value={fill.solver} bare /> <Time seconds={fill.filled_at} />.
      </>
    );
  if (status !== "OPEN") return <>{party} asked for this, and nobody filled it.</>;
  if (!winner) return <>{party} asks for this. No solver has made a bid yet.</>;
  return (
    <>
      {party} asks for this. The best of {bids.length === 1 ? "one bid" : `${bids.length} bids`} pays{" "}
      <Amount value={winner.amount_out} token={output_token} />.
    </>
  );
}

/** How far the best bid is above the minimum, or what the fill paid beyond it. */
function surplusOf({ intent, winner }: Pick<Data, "intent" | "winner">) {
  if (intent.fill || !winner)
    return {
      field: "surplus_bps",
      label: "Surplus",
      value:
        intent.surplus_bps === null ? (
          <None />
        ) : (
          <data value={intent.surplus_bps}>{percentOfBasisPoints(intent.surplus_bps)}</data>
        ),
      note: intent.surplus_usd === null ? "beyond the minimum" : <Dollars value={intent.surplus_usd} />,
    };
  const minimum = BigInt(intent.amount_out_min);
  const beyond = BigInt(winner.amount_out) - minimum;
  return {
    field: "best_bid_bps",
    label: "Best bid",
    value:
      minimum === 0n ? (
        <None>any amount is enough</None>
      ) : (
        `+${percentOfBasisPoints(String((beyond * 10_000n) / minimum))}`
      ),
    note: "beyond the minimum",
  };
}

function Numbers({ intent, winner }: Pick<Data, "intent" | "winner">) {
  const [input, output] = [useTokenName(intent.input_token), useTokenName(intent.output_token)];
  return (
    <Stats
      items={[
        { field: "status", label: "State", value: <Status value={intent.status} /> },
        {
          field: "price",
          label: intent.fill ? "Price" : "Price asked",
          value:
            intent.price === null ? (
              <None>unknown</None>
            ) : (
              <data value={intent.price} title={intent.price}>
                {shortNumber(intent.price)}
              </data>
            ),
          note: (
            <>
              <bdi>{output}</bdi> for each <bdi>{input}</bdi>
            </>
          ),
        },
        surplusOf({ intent, winner }),
        {
          field: "deadline",
          label: intent.status === "OPEN" ? "Ends" : "Deadline",
          value: <Time seconds={intent.deadline} isDeadline />,
        },
      ]}
    />
  );
}

const parts = {
  trade: ({ data }: ViewProps<Data>) => (
    <>
      <Timeline steps={stepsOf(data)} />
      <ActOnIntent intent={data.intent} bids={data.bids} winner={data.winner} />
      <Competition intent={data.intent} bids={data.bids} hasMore={data.hasMoreBids} />
      <div class="columns">
        <Fill intent={data.intent} />
        <Terms intent={data.intent} />
      </div>
      <Commitments intent={data.intent} isSchemaKnown={data.isSchemaKnown} />
      <Metadata metadata={data.metadata} />
    </>
  ),
  events: ({ live }: ViewProps<Data>) => <EventLog title="Events of this intent" live={live} />,
  json: ({ data: { intent } }: ViewProps<Data>) => <RawJson path={`/intents/${intent.intent_id}`} value={intent} />,
};

const IntentView = (props: ViewProps<Data>) => {
  const { intent } = props.data;
  const Part = parts[selectedTab(["trade", "events", "json"], props.parameters.tab)];
  return (
    <>
      <Heading kind={`Intent #${intent.intent_id}`} lead={<Lead {...props.data} />}>
        <Trade intent={intent} />
      </Heading>
      <Numbers {...props.data} />
      <Tabs
        path={links.intent(intent.intent_id)}
        parameters={props.parameters}
        tabs={tabs}
        label="Parts of the intent"
      />
      <Part {...props} />
    </>
  );
};

export const intentPage = page<Data>({
  path: links.intent(":id"),
  title: ({ intent }, _, words) => `${tradeOf(intent, words)}, Intent #${intent.intent_id}`,
  description: ({ intent, bids }, words) => describeIntent(intent, bids.length, words),
  async load({ intents, search }, { id = "" }) {
    const [intent, { bids, winner, pagination }] = await Promise.all([
      intents.get.query({ id }),
      intents.competition.query({ id, limit: BIDS }),
    ]);
    const { intent_hash: intentHash, owner, metadata, execution } = intent;
    const schema = execution.required_attestation_schema;
    return {
      intent,
      bids,
      hasMoreBids: pagination.next_offset !== null,
      winner,
      metadata: metadata && (await ifFound(intents.metadata.query({ intentHash, owner }))),
      isSchemaKnown: schema
        ? (await search.find.query({ q: schema })).matches.some(({ type }) => type === "schema")
        : false,
    };
  },
  View: IntentView,
  subscription: ({ intent }) => ({ filter: { intent_id: intent.intent_id } }),
});
