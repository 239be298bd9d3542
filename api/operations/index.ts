import { listPolicies } from "./accounts";
import { getAgent, listAgents } from "./agents";
import { getCommerceAnalytics } from "./analytics";
import { getAttestation, listAttestations } from "./attestations";
import { getAttestor, listAttestors } from "./attestors";
import { listBids } from "./bids";
import { getDispute, listDisputes } from "./disputes";
import { getFacilitator, listFacilitators } from "./facilitators";
import { getIntent, listIntents } from "./intents";
import { getMerchant, getReputation, listMerchants } from "./merchants";
import type { Operation } from "./operation";
import { checkPreflight } from "./preflight";
import { getQuote, listQuotes } from "./quotes";
import { getReceipt, listReceipts } from "./receipts";
import { getService, listServices } from "./services";
import { getSolver, listSolvers } from "./solvers";
import { getHealth, getReadiness } from "./status";
import { explainTransaction } from "./transactions";
import { listTrustSignals } from "./trust-signals";

/** Everything the service does, by resource. */
const operations = {
  agents: { get: getAgent, list: listAgents },
  intents: { get: getIntent, list: listIntents },
  bids: { list: listBids },
  accounts: { policies: listPolicies },
  preflight: { check: checkPreflight },
  attestations: { get: getAttestation, list: listAttestations },
  solvers: { get: getSolver, list: listSolvers },
  attestors: { get: getAttestor, list: listAttestors },
  merchants: { get: getMerchant, list: listMerchants, reputation: getReputation },
  services: { get: getService, list: listServices },
  facilitators: { get: getFacilitator, list: listFacilitators },
  quotes: { get: getQuote, list: listQuotes },
  receipts: { get: getReceipt, list: listReceipts },
  disputes: { get: getDispute, list: listDisputes },
  trustSignals: { list: listTrustSignals },
  analytics: { commerce: getCommerceAnalytics },
  transactions: { explain: explainTransaction },
  status: { health: getHealth, ready: getReadiness },
} as const;

/** An operation as the transports see it: its schemas check at run time what its types say here. */
export type AnyOperation = Omit<Operation, "run" | "status" | "example"> & {
  example: Record<string, unknown>;
  status?: (output: never) => 200 | 503;
  run: (services: never, input: never) => Promise<unknown>;
};

/** Every operation with its name (`agents.get`) and its resource. */
export const allOperations = Object.entries(operations).flatMap(([resource, ofResource]) =>
  Object.entries(ofResource).map(([name, operation]: [string, AnyOperation]) => ({
    name: `${resource}.${name}`,
    resource,
    operation,
  })),
);
