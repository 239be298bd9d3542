import type { AnyCall, AnyOperation, AnySubscription } from "../core/operation";
import { listPolicies } from "./accounts";
import { getAgent, listAgents } from "./agents";
import { getCommerceAnalytics } from "./analytics";
import { getAttestation, listAttestations } from "./attestations";
import { getAttestor, listAttestors } from "./attestors";
import { getBid, listBids } from "./bids";
import { getDiscovery } from "./discovery";
import { getDispute, listDisputes } from "./disputes";
import { catalogs, fulfillmentEvidence, fulfillmentPayloads, quoteRequests, quoteResponses } from "./documents";
import { subscribeToEvents } from "./events";
import { getFacilitator, listFacilitators } from "./facilitators";
import { getMetadata, putMetadata, reserveMetadata } from "./intent-metadata";
import { getIntent, listIntents } from "./intents";
import { getMerchant, getReputation, listMerchants } from "./merchants";
import { chooseBid, createBid } from "./offchain-bids";
import { normalizePaymentRequirement } from "./payment-requirements";
import { getPortfolio } from "./portfolio";
import { checkPreflight } from "./preflight";
import { getQuote, listQuotes } from "./quotes";
import { getReceipt, listReceipts } from "./receipts";
import { getRecentEvents } from "./recent-events";
import { getSchema, listSchemas, publishSchema } from "./schemas";
import { find } from "./search/index";
import { getNames } from "./search/names";
import { getService, listServices } from "./services";
import { getSettlement, listSettlements } from "./settlements";
import { getSolver, listSolvers } from "./solvers";
import { getHealth, getProtocol, getReadiness } from "./status";
import { getTimeSeries } from "./time-series";
import { getToken } from "./tokens";
import { explainTransaction } from "./transactions";
import { listTrustSignals } from "./trust-signals";

/** All operations, by resource. */
export const operations = {
  search: { find, names: getNames },
  agents: { get: getAgent, list: listAgents },
  intents: {
    get: getIntent,
    list: listIntents,
    metadata: getMetadata,
    putMetadata,
    reserveMetadata,
  },
  bids: { get: getBid, list: listBids, create: createBid, select: chooseBid },
  accounts: { policies: listPolicies },
  preflight: { check: checkPreflight },
  schemas: { get: getSchema, list: listSchemas, publish: publishSchema },
  attestations: { get: getAttestation, list: listAttestations },
  solvers: { get: getSolver, list: listSolvers },
  attestors: { get: getAttestor, list: listAttestors },
  merchants: { get: getMerchant, list: listMerchants, reputation: getReputation },
  services: { get: getService, list: listServices },
  facilitators: { get: getFacilitator, list: listFacilitators },
  quotes: { get: getQuote, list: listQuotes },
  receipts: { get: getReceipt, list: listReceipts },
  settlements: { get: getSettlement, list: listSettlements },
  disputes: { get: getDispute, list: listDisputes },
  trustSignals: { list: listTrustSignals },
  analytics: { commerce: getCommerceAnalytics, timeseries: getTimeSeries },
  tokens: { get: getToken },
  transactions: { explain: explainTransaction },
  events: { recent: getRecentEvents, subscribe: subscribeToEvents },
  documents: {
    publishCatalog: catalogs.publish,
    getCatalog: catalogs.get,
    getCatalogMetadata: catalogs.metadata,
    publishQuoteRequest: quoteRequests.publish,
    getQuoteRequest: quoteRequests.get,
    getQuoteRequestMetadata: quoteRequests.metadata,
    publishQuoteResponse: quoteResponses.publish,
    getQuoteResponse: quoteResponses.get,
    getQuoteResponseMetadata: quoteResponses.metadata,
    publishFulfillmentPayload: fulfillmentPayloads.publish,
    getFulfillmentPayload: fulfillmentPayloads.get,
    getFulfillmentPayloadMetadata: fulfillmentPayloads.metadata,
    publishFulfillmentEvidence: fulfillmentEvidence.publish,
    getFulfillmentEvidence: fulfillmentEvidence.get,
    getFulfillmentEvidenceMetadata: fulfillmentEvidence.metadata,
  },
  portfolio: { get: getPortfolio },
  payments: { discovery: getDiscovery, normalize: normalizePaymentRequirement },
  status: { health: getHealth, ready: getReadiness, protocol: getProtocol },
} as const;

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
