import type { TableName } from "../../support/index-of";
import type { Item } from "../../support/lists/asking";

type Order = (one: Item, other: Item) => number;

const number = (item: Item, key: string) => BigInt(String(item[key]));

const compare = <Value extends bigint | string>(one: Value, other: Value) => (one < other ? -1 : one > other ? 1 : 0);

const up =
  (key: string): Order =>
  (one, other) =>
    compare(number(one, key), number(other, key));

const down =
  (key: string): Order =>
  (one, other) =>
    up(key)(other, one);

/** Compares by the first order, then by the next for equal items, and so on. */
const by =
  (...orders: Order[]): Order =>
  (one, other) => {
    for (const order of orders) {
      const difference = order(one, other);
      if (difference !== 0) return difference;
    }
    return 0;
  };

const policyName = (item: Item) =>
  ["merchant", "target", "selector", "token", "facilitator"]
    .flatMap((key) => (key in item ? [String(item[key])] : []))
    .join("-");

/** The documented order of a list, and the identity of its items. */
type Documented = {
  table: TableName;
  /** The unique id of an item. */
  nameOf: (item: Item) => string;
  /** The same id from a row, with columns in camel case. */
  nameOfRow: (row: Item) => string;
  /** The default order. Null if the items don't contain the sort key: quotes are ordered by commitment. */
  order: Order | null;
  /** The other orders by name, except those that reverse the default one. */
  sorts?: Readonly<Record<string, Order>>;
  /** The filter that an order requires. */
  requires?: Readonly<Record<string, string>>;
  /** Filters that are combined with another one, or with each other, only. */
  dependent?: Readonly<Record<string, readonly string[]>>;
  /** The field that the filters `from` and `to` are about. */
  time?: string;
};

const withId = (table: TableName, key: string, column: string, direction: typeof up): Documented => ({
  table,
  nameOf: (item) => String(item[key]),
  nameOfRow: (row) => String(row[column]),
  order: direction(key),
});

/** The name of an order that reverses the default one. */
export const opposite: Readonly<Record<string, string>> = { newest: "oldest", oldest: "newest" };

/** The documented order of every list. */
export const documented: Readonly<Record<string, Documented>> = {
  "agents.list": withId("agent", "agent_id", "agentId", up),
  "intents.list": {
    ...withId("intent", "intent_id", "intentId", down),
    sorts: { deadline: by(up("deadline"), up("intent_id")) },
    time: "submitted_at",
  },
  "bids.list": {
    table: "bid",
    nameOf: (item) => String(item.bid_id),
    nameOfRow: (row) => `${row.intentId}-${row.bidId}`,
    order: by(down("amount_out"), up("amount_in"), up("fee"), up("chain_bid_id")),
  },
  "bids.all": {
    table: "bid",
    nameOf: (item) => String(item.bid_id),
    nameOfRow: (row) => `${row.intentId}-${row.bidId}`,
    order: by(down("created_at"), down("intent_id"), down("chain_bid_id")),
    dependent: { status: ["solver", "intent_id"] },
    time: "created_at",
  },
  "fills.list": {
    ...withId("fill", "intent_id", "intentId", down),
    order: by(down("filled_at"), down("intent_id")),
    time: "filled_at",
  },
  "accounts.policies": {
    table: "policy",
    nameOf: (item) => `${item.policy_type} ${policyName(item)}`,
    nameOfRow: (row) => `${row.policyType} ${row.key}`,
    order: by(
      (one, other) => compare(String(one.policy_type), String(other.policy_type)),
      (one, other) => compare(policyName(one), policyName(other)),
    ),
  },
  "attestations.list": withId("attestation", "attestation_id", "attestationId", up),
  "solvers.list": withId("solver", "solver_id", "solverId", up),
  "attestors.list": withId("attestor", "attestor_id", "attestorId", up),
  "merchants.list": withId("merchant", "merchant_id", "merchantId", up),
  "services.list": withId("service", "service_numeric_id", "serviceNumericId", up),
  "facilitators.list": withId("facilitator", "facilitator_id", "facilitatorId", up),
  "quotes.list": {
    table: "quote",
    nameOf: (item) => String(item.quote_hash),
    nameOfRow: (row) => String(row.quoteHash),
    order: null,
  },
  "receipts.list": {
    ...withId("receipt", "receipt_id", "receiptId", down),
    sorts: { amount: by(down("amount"), down("receipt_id")) },
    requires: { amount: "token" },
    time: "settled_at",
  },
  "settlements.list": {
    table: "settlement",
    nameOf: (item) => String(item.execution_hash),
    nameOfRow: (row) => String(row.executionHash),
    order: down("block_number"),
  },
  "disputes.list": withId("dispute", "dispute_id", "disputeId", down),
  "trustSignals.list": withId("trustSignal", "signal_id", "signalId", down),
};
