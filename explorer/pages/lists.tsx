import type { EventFilter } from "../../client/src/api";
import { IntentTable } from "../components/intents";
import {
  AgentTable,
  AttestationTable,
  AttestorTable,
  DisputeTable,
  FacilitatorTable,
  MerchantTable,
  QuoteTable,
  ReceiptTable,
  SchemaTable,
  ServiceTable,
  SettlementTable,
  SignalTable,
  SolverTable,
} from "../components/tables";
import { BidTable, FillTable } from "../components/trade-tables";
import { paymentRails, signalKinds } from "../components/values";
import { links, withQuery } from "../links";
import { type ListPage, listPage } from "../lists/list-page";
import type { Filter, Sort } from "../lists/query";
import type { Page, Parameters, Subscription } from "../page";
import type { Reads } from "../reads";

const eventsOf = (contract: NonNullable<EventFilter["contract"]>): Subscription => ({ filter: { contract } });

const commerce = eventsOf("CommerceRegistry");

const newest: Sort = { name: "newest", label: "Newest first" };
const oldest: Sort = { name: "oldest", label: "Oldest first" };
const newestFirst = [newest, oldest];
const oldestFirst = [oldest, newest];

const choice = (name: string, label: string, ...options: readonly (readonly [string, string])[]): Filter => ({
  name,
  label,
  kind: "choice",
  options,
});

const active = choice("active", "State", ["true", "Active"], ["false", "Inactive"]);

const from: Filter = { name: "from", label: "From", kind: "from" };
const to: Filter = { name: "to", label: "Until", kind: "to" };
const account = (name: string, label: string): Filter => ({ name, label, kind: "account" });
const token = (name: string, label: string): Filter => ({ name, label, kind: "token" });
const hash = (name: string, label: string): Filter => ({ name, label, kind: "hash" });
const merchant: Filter = { name: "merchant_id", label: "Merchant", kind: "record", record: "merchant" };

const numbered = (names: readonly string[]) => names.map((name, number) => [String(number), name] as const);

const subjects = ["merchant", "service", "facilitator", "agent"] as const;

const example = <code>npm run example market</code>;

const lists: readonly ListPage[] = [
  listPage({
    name: "intents",
    title: "Intents",
    lead: "What owners want to trade: at most this much of one token, for at least that much of another.",
    api: { path: "/intents", rows: "intents" },
    read: ({ intents }, input) => intents.list.query(input),
    Rows: IntentTable,
    filters: [
      choice(
        "status",
        "State",
        ["open", "Open"],
        ["filled", "Filled"],
        ["cancelled", "Cancelled"],
        ["expired", "Expired"],
      ),
      account("owner", "Owner"),
      token("input_token", "Sells token"),
      token("output_token", "Buys token"),
      from,
      to,
    ],
    sorts: [newest, oldest, { name: "deadline", label: "Earliest deadline first" }],
    empty: <>An owner submits one to the IntentBook, for example with {example}.</>,
    subscription: eventsOf("IntentBook"),
  }),
  listPage({
    name: "bids",
    title: "Bids",
    lead: "What solvers offer for intents, on chain.",
    api: { path: "/bids", rows: "bids" },
    read: ({ bids }, input) => bids.all.query(input),
    Rows: BidTable,
    filters: [
      account("solver", "Solver"),
      { name: "intent_id", label: "Intent", kind: "record", record: "intent" },
      choice(
        "status",
        "State (with a solver or an intent)",
        ["open", "Open"],
        ["selected", "Selected"],
        ["rejected", "Rejected"],
        ["expired", "Expired"],
      ),
      from,
      to,
    ],
    sorts: newestFirst,
    empty: (
      <>
        A solver bids on an <a href={withQuery(links.list("intents"), { status: "open" })}>open intent</a>.
      </>
    ),
    subscription: eventsOf("IntentBook"),
  }),
  listPage({
    name: "fills",
    title: "Fills",
    lead: "Intents that a solver filled: what was sold, and what the owner received.",
    api: { path: "/fills", rows: "fills" },
    read: ({ fills }, input) => fills.list.query(input),
    Rows: FillTable,
    filters: [account("solver", "Solver"), account("owner", "Owner"), token("token", "Token of either side"), from, to],
    sorts: newestFirst,
    empty: (
      <>
        A solver fills an <a href={withQuery(links.list("intents"), { status: "open" })}>open intent</a> whose owner
        selected its bid.
      </>
    ),
    subscription: eventsOf("IntentBook"),
  }),
  listPage({
    name: "agents",
    title: "Agents",
    lead: (
      <>
        Registered agents, which trade and buy for their owners. See <Board name="agents" />.
      </>
    ),
    api: { path: "/agents", rows: "agents" },
    read: ({ agents }, input) => agents.list.query(input),
    Rows: AgentTable,
    filters: [account("owner", "Owner")],
    sorts: oldestFirst,
    empty: "An owner registers one in the AgentRegistry.",
    subscription: eventsOf("AgentRegistry"),
  }),
  listPage({
    name: "solvers",
    title: "Solvers",
    lead: (
      <>
        Registered solvers, which bid on intents and fill them. See <Board name="solvers" />.
      </>
    ),
    api: { path: "/solvers", rows: "solvers" },
    read: ({ solvers }, input) => solvers.list.query(input),
    Rows: SolverTable,
    filters: [active, account("operator", "Operator")],
    sorts: oldestFirst,
    empty: "An operator registers one in the SolverRegistry.",
    subscription: eventsOf("SolverRegistry"),
  }),
  listPage({
    name: "attestors",
    title: "Attestors",
    lead: "Registered attestors, whose statements other participants may rely on.",
    api: { path: "/attestors", rows: "attestors" },
    read: ({ attestors }, input) => attestors.list.query(input),
    Rows: AttestorTable,
    filters: [active, account("operator", "Operator")],
    sorts: oldestFirst,
    empty: "An operator registers one in the AttestorRegistry.",
    subscription: eventsOf("AttestorRegistry"),
  }),
  listPage({
    name: "attestations",
    title: "Attestations",
    lead: "Statements about a subject, under a schema. Anyone can make one, so it is worth as much as its attester.",
    api: { path: "/attestations", rows: "attestations" },
    read: ({ attestations }, input) => attestations.list.query(input),
    Rows: AttestationTable,
    filters: [
      choice("revoked", "State", ["false", "Valid"], ["true", "Revoked"]),
      hash("schema", "Schema"),
      hash("subject", "Subject"),
      account("attester", "Attester"),
    ],
    usual: { revoked: "false" },
    sorts: oldestFirst,
    empty: "An attester makes one in the AttestationRegistry.",
    subscription: eventsOf("AttestationRegistry"),
  }),
  listPage({
    name: "schemas",
    title: "Attestation schemas",
    lead: "What the data of attestations means.",
    api: { path: "/attestations/schemas", rows: "schemas" },
    read: ({ schemas }, input) => schemas.list.query(input),
    Rows: SchemaTable,
    filters: [],
    sorts: [],
    empty: (
      <>
        Publish one with <a href="/docs">POST /attestations/schemas</a>.
      </>
    ),
  }),
  listPage({
    name: "merchants",
    title: "Merchants",
    lead: (
      <>
        Registered merchants, which sell services to agents. See <Board name="merchants" />.
      </>
    ),
    api: { path: "/merchants", rows: "merchants" },
    read: ({ merchants }, input) => merchants.list.query(input),
    Rows: MerchantTable,
    filters: [active, account("owner", "Owner")],
    sorts: oldestFirst,
    empty: "An owner registers one in the CommerceRegistry.",
    subscription: commerce,
  }),
  listPage({
    name: "services",
    title: "Services",
    lead: (
      <>
        What merchants sell. Search finds them by{" "}
        <a href={withQuery(links.search, { type: "service" })}>name and price</a>.
      </>
    ),
    api: { path: "/services", rows: "services" },
    read: ({ services }, input) => services.list.query(input),
    Rows: ServiceTable,
    filters: [active, merchant, hash("capability_hash", "Capability")],
    sorts: oldestFirst,
    empty: "A merchant registers one in the CommerceRegistry.",
    subscription: commerce,
  }),
  listPage({
    name: "facilitators",
    title: "Facilitators",
    lead: (
      <>
        Registered facilitators, which carry out payments. See <Board name="facilitators" />.
      </>
    ),
    api: { path: "/facilitators", rows: "facilitators" },
    read: ({ facilitators }, input) => facilitators.list.query(input),
    Rows: FacilitatorTable,
    filters: [active],
    sorts: oldestFirst,
    empty: "One is registered in the CommerceRegistry.",
    subscription: commerce,
  }),
  listPage({
    name: "quotes",
    title: "Quotes",
    lead: "Prices that merchants committed to on chain, each for one agent.",
    api: { path: "/quotes", rows: "quotes" },
    read: ({ quotes }, input) => quotes.list.query(input),
    Rows: QuoteTable,
    filters: [
      choice("settled", "State", ["true", "Settled"], ["false", "Unsettled"]),
      merchant,
      account("agent", "Agent"),
    ],
    sorts: newestFirst,
    empty: "An agent requests a quote, and the merchant commits to it.",
    subscription: commerce,
  }),
  listPage({
    name: "receipts",
    title: "Receipts",
    lead: "Settled payments of agents to merchants.",
    api: { path: "/receipts", rows: "receipts" },
    read: ({ receipts }, input) => receipts.list.query(input),
    Rows: ReceiptTable,
    filters: [
      choice("fulfilled", "State", ["true", "Fulfilled"], ["false", "Unfulfilled"]),
      account("agent", "Agent"),
      merchant,
      { name: "service_id", label: "Service", kind: "record", record: "service" },
      token("token", "Token"),
      account("facilitator", "Facilitator"),
      choice("payment_rail", "Rail", ...numbered(paymentRails)),
      from,
      to,
    ],
    sorts: [newest, oldest, { name: "amount", label: "Largest amount of a token first", requires: "token" }],
    empty: (
      <>
        An agent pays a committed <a href={links.list("quotes")}>quote</a>.
      </>
    ),
    subscription: commerce,
  }),
  listPage({
    name: "settlements",
    title: "Settlements",
    lead: "Payments that the SettlementAdapter split between merchant, fees and facilitators.",
    api: { path: "/settlements", rows: "settlements" },
    read: ({ settlements }, input) => settlements.list.query(input),
    Rows: SettlementTable,
    filters: [
      account("payer", "Paid by"),
      token("token", "Token"),
      hash("quote_hash", "Quote"),
      hash("settlement_plan_hash", "Plan"),
    ],
    sorts: newestFirst,
    empty: "A payer executes a settlement plan.",
    subscription: eventsOf("SettlementAdapter"),
  }),
  listPage({
    name: "disputes",
    title: "Disputes",
    lead: "Receipts that one side disputes, and what was decided.",
    api: { path: "/disputes", rows: "disputes" },
    read: ({ disputes }, input) => disputes.list.query(input),
    Rows: DisputeTable,
    filters: [
      merchant,
      { name: "receipt_id", label: "Receipt", kind: "record", record: "receipt" },
      account("opener", "Opened by"),
    ],
    sorts: newestFirst,
    empty: (
      <>
        Someone disputes a <a href={links.list("receipts")}>receipt</a>.
      </>
    ),
    subscription: commerce,
  }),
  listPage({
    name: "trust-signals",
    title: "Trust signals",
    lead: "What reporters say about merchants, services, facilitators and agents.",
    api: { path: "/trust-signals", rows: "trust_signals" },
    read: ({ trustSignals }, input) => trustSignals.list.query(input),
    Rows: SignalTable,
    filters: [
      choice("kind", "Kind", ...numbered(signalKinds)),
      choice("subject_type", "About a", ...numbered(subjects)),
      { name: "subject_id", label: "Subject's id", kind: "text" },
      account("reporter", "Reporter"),
    ],
    sorts: newestFirst,
    empty: "A reporter records one in the CommerceRegistry.",
    subscription: commerce,
  }),
];

/** A link to the ranking of a kind of participants. */
function Board({ name }: { name: string }) {
  return <a href={withQuery(links.list("leaderboards"), { board: name })}>the ranking</a>;
}

export const listPages: readonly Page[] = lists.map(({ page }) => page);

const csvs = new Map(lists.map(({ page, csv }) => [`${page.path}.csv`, csv]));

/** The rows of a list's page as CSV, if a path is that of a list with `.csv`. */
export const findCsv = (path: string): ((reads: Reads, parameters: Parameters) => Promise<string>) | undefined =>
  csvs.get(path);
