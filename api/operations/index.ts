import type { AnyCall, AnyOperation, AnySubscription } from "../core/operation";
import { accounts } from "./accounts";
import { actions } from "./actions/index";
import { agents } from "./agents";
import { commerceAnalytics } from "./analytics";
import { attestations } from "./attestations";
import { attestors } from "./attestors";
import { bidList } from "./bid-list";
import { onchainBids } from "./bids";
import { competition } from "./competition";
import { discovery } from "./discovery";
import { disputes } from "./disputes";
import { documents } from "./documents";
import { eventStream } from "./events";
import { facilitators } from "./facilitators";
import { fills } from "./fills";
import { metadataOfIntents } from "./intent-metadata";
import { intents } from "./intents";
import { leaderboard } from "./leaderboard";
import { merchants } from "./merchants";
import { offchainBids } from "./offchain-bids";
import { paymentRequirements } from "./payment-requirements";
import { portfolio } from "./portfolio";
import { preflight } from "./preflight";
import { quotes } from "./quotes";
import { receipts } from "./receipts";
import { recentEvents } from "./recent-events";
import { reputationOfAgents, reputationOfMerchants } from "./reputation";
import { schemas } from "./schemas";
import { search } from "./search/index";
import { services } from "./services";
import { settlements } from "./settlements";
import { solverLeaderboard } from "./solver-leaderboard";
import { solverPerformance } from "./solver-performance";
import { solvers } from "./solvers";
import { status } from "./status";
import { timeSeries } from "./time-series";
import { tokenPrices } from "./token-prices";
import { tokens } from "./tokens";
import { transactions } from "./transactions";
import { trust } from "./trust";
import { trustSignals } from "./trust-signals";

/** All operations, by resource. Their names are in the resource's file. */
export const operations = {
  search,
  actions,
  agents: { ...agents, ...reputationOfAgents },
  intents: { ...intents, ...competition, ...metadataOfIntents },
  bids: { ...onchainBids, ...bidList, ...offchainBids },
  fills,
  accounts,
  preflight,
  schemas,
  attestations,
  solvers: { ...solvers, ...solverPerformance, ...solverLeaderboard },
  attestors,
  merchants: { ...merchants, ...reputationOfMerchants },
  services,
  facilitators,
  quotes,
  receipts,
  settlements,
  disputes,
  trustSignals,
  trust,
  leaderboard,
  analytics: { ...commerceAnalytics, ...timeSeries },
  tokens: { ...tokens, ...tokenPrices },
  transactions,
  events: { ...recentEvents, ...eventStream },
  documents,
  portfolio,
  payments: { ...discovery, ...paymentRequirements },
  status,
};

type Named<Kind extends AnyOperation> = {
  /** Resource and name: `agents.get`. */
  name: string;
  resource: string;
  operation: Kind;
};

/** Every operation with its name and its resource. */
export const allOperations = Object.entries(operations).flatMap(([resource, ofResource]) =>
  Object.entries(ofResource).map(
    ([name, operation]: [string, AnyOperation]): Named<AnyOperation> => ({
      name: `${resource}.${name}`,
      resource,
      operation,
    }),
  ),
);

const names = new Map(allOperations.map(({ name, operation }) => [operation, name]));

/** The name of an operation: `agents.get`. */
export const nameOf = (operation: AnyOperation): string => names.get(operation) ?? operation.route;

/** The operations that send a stream of messages. */
export const subscriptions = allOperations.filter(
  (named): named is Named<AnySubscription> => named.operation.kind === "subscription",
);

/** The operations with one response per request. */
export const calls = allOperations.filter((named): named is Named<AnyCall> => named.operation.kind !== "subscription");

/** The calls that require no payment. The paywall serves the others. */
export const freeCalls = calls.filter(({ operation }) => !operation.paid);
