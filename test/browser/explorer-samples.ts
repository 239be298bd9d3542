import { vi } from "vitest";
import { operations } from "../../api/operations/index";
import { documentHash } from "../../client/src/documents";

/** A record page of the sample activity, and the API route with the same record. */
export type SampleRecord = {
  path: string;
  api: string;
  /** Where the record is in the response. Default: the response itself. */
  part?: string;
  /** The section of the page with the fields. Default: all of them. */
  section?: string;
  /** Fields in the heading, or shown as a state. */
  elsewhere: readonly string[];
};

export const ALICE = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

async function readJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return response.json();
}

export const catalogHash = documentHash(operations.documents.publishCatalog.example.catalog_json);

const { publishFulfillmentPayload, publishFulfillmentEvidence } = operations.documents;

/** Publishes the examples of fulfilment documents, which the sample does not. Returns their records. */
async function publishFulfilment(apiUrl: string): Promise<SampleRecord[]> {
  const documents = [
    ["fulfillment-payloads", "payload_hash", publishFulfillmentPayload.example],
    ["fulfillment-evidence", "evidence_hash", publishFulfillmentEvidence.example],
  ] as const;
  return Promise.all(
    documents.map(async ([kind, hashField, example]) => {
      const response = await fetch(`${apiUrl}/${kind}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(example),
      });
      const { [hashField]: hash } = (await response.json()) as Record<string, string>;
      return {
        path: `/explore/documents/${kind}/${hash}`,
        api: `/${kind}/${hash}/metadata`,
        elsewhere: [hashField, "uri", "updated_at"],
      };
    }),
  );
}

/** Records whose metadata the sample publishes, or has on chain. */
const withMetadata = ["agents/1", "merchants/1", "services/1", "solvers/2"];

/** Waits until the metadata of the sample is resolved and its tokens are read, so that pages show names and symbols. */
export async function waitForNames(apiUrl: string): Promise<void> {
  for (const path of withMetadata)
    await vi.waitUntil(
      async () => {
        const { metadata } = (await readJson(`${apiUrl}/${path}?include=metadata`)) as { metadata: { state: string } };
        return ["verified", "unverified"].includes(metadata.state);
      },
      { timeout: 60_000, interval: 200 },
    );
  const { input_token, output_token } = (await readJson(`${apiUrl}/intents/1`)) as Record<string, string>;
  for (const token of [input_token, output_token])
    await vi.waitUntil(
      async () => ((await readJson(`${apiUrl}/tokens/${token}`)) as { source: string }).source !== "pending",
      { timeout: 20_000, interval: 200 },
    );
}

/** The part of a record page with its resolved metadata. */
const metadataOf = (record: string): SampleRecord => ({
  path: `/explore/${record}`,
  api: `/${record}?include=metadata`,
  part: "metadata",
  section: "#metadata",
  elsewhere: ["reason"],
});

/** One record of each kind. */
export async function sampleRecords(apiUrl: string): Promise<SampleRecord[]> {
  const { quotes } = (await readJson(`${apiUrl}/quotes?settled=true`)) as { quotes: { quote_hash: string }[] };
  const { tx_hash, input_token } = (await readJson(`${apiUrl}/intents/1`)) as { tx_hash: string; input_token: string };
  const { schemas } = (await readJson(`${apiUrl}/attestations/schemas`)) as { schemas: { schema_hash: string }[] };
  const { settlements } = (await readJson(`${apiUrl}/settlements`)) as { settlements: { execution_hash: string }[] };
  const settlement = settlements[0]?.execution_hash;
  const [quote, schema] = [quotes[0]?.quote_hash, schemas[0]?.schema_hash];
  return [
    { path: "/explore/agents/1", api: "/agents/1", elsewhere: ["agent_id", "revoked"] },
    {
      path: "/explore/intents/1",
      api: "/intents/1",
      elsewhere: ["intent_id", "status", "price", "surplus_bps", "deadline"],
      section: "#terms",
    },
    { path: "/explore/intents/1", api: "/intents/1", part: "fill", section: "#fill", elsewhere: [] },
    { path: "/explore/intents/4", api: "/intents/4", part: "execution", elsewhere: [] },
    { path: "/explore/solvers/1", api: "/solvers/1", elsewhere: ["solver_id", "active"], section: "#technical" },
    { path: "/explore/attestors/1", api: "/attestors/1", elsewhere: ["attestor_id", "active"] },
    { path: "/explore/merchants/1", api: "/merchants/1", elsewhere: ["merchant_id", "active"] },
    {
      path: "/explore/merchants/1",
      api: "/merchants/1/reputation",
      part: "commerce",
      elsewhere: [],
      section: "#commerce",
    },
    {
      path: "/explore/merchants/1",
      api: "/merchants/1/reputation",
      part: "disputes",
      elsewhere: [],
      section: "#commerce",
    },
    { path: "/explore/services/1", api: "/services/1", elsewhere: ["active"] },
    { path: "/explore/facilitators/1", api: "/facilitators/1", elsewhere: ["facilitator_id", "active"] },
    ...[...withMetadata, "solvers/1", "attestors/1", "facilitators/1"].map(metadataOf),
    { path: `/explore/tokens/${input_token}`, api: `/tokens/${input_token}`, elsewhere: [] },
    { path: `/explore/quotes/${quote}`, api: `/quotes/${quote}`, elsewhere: ["quote_hash", "settled"] },
    { path: "/explore/receipts/1", api: "/receipts/1", elsewhere: ["receipt_id"] },
    {
      path: `/explore/settlements/${settlement}`,
      api: `/settlements/${settlement}`,
      elsewhere: ["execution_hash", "lines", "lines_known"],
    },
    { path: "/explore/disputes/1", api: "/disputes/1", elsewhere: ["dispute_id", "status"] },
    { path: "/explore/attestations/1", api: "/attestations/1", elsewhere: ["attestation_id", "revoked"] },
    { path: `/explore/schemas/${schema}`, api: `/attestations/schemas/${schema}`, elsewhere: ["builtin"] },
    {
      path: "/explore/status",
      api: "/ready",
      elsewhere: ["chain_id", "lag_seconds", "progress", "eta_seconds", "store", "reason"],
    },
    { path: `/explore/transactions/${tx_hash}`, api: `/tx/${tx_hash}/explain`, elsewhere: ["tx_hash"] },
    {
      path: `/explore/documents/catalogs/${catalogHash}`,
      api: `/catalogs/${catalogHash}/metadata`,
      elsewhere: ["catalog_hash", "uri", "updated_at"],
    },
    ...(await publishFulfilment(apiUrl)),
  ];
}

/** The lists, with the API route, the property of the rows, and their ids. */
export const sampleLists = [
  ["intents", "/intents", "intents", "intent_id"],
  ["bids", "/bids", "bids", "bid_id"],
  ["fills", "/fills", "fills", "intent_id"],
  ["agents", "/agents", "agents", "agent_id"],
  ["solvers", "/solvers", "solvers", "solver_id"],
  ["attestors", "/attestors", "attestors", "attestor_id"],
  ["merchants", "/merchants", "merchants", "merchant_id"],
  ["services", "/services", "services", "service_numeric_id"],
  ["facilitators", "/facilitators", "facilitators", "facilitator_id"],
  ["quotes", "/quotes", "quotes", "quote_hash"],
  ["receipts", "/receipts", "receipts", "receipt_id"],
  ["settlements", "/settlements", "settlements", "execution_hash"],
  ["disputes", "/disputes", "disputes", "dispute_id"],
  ["attestations", "/attestations?revoked=false", "attestations", "attestation_id"],
  ["schemas", "/attestations/schemas", "schemas", "schema_hash"],
  ["trust-signals", "/trust-signals", "trust_signals", "signal_id"],
] as const;

/** The newest block with an event. */
export async function newestBlock(apiUrl: string): Promise<string | undefined> {
  const { events } = (await readJson(`${apiUrl}/events/recent?limit=1`)) as { events: { block_number: string }[] };
  return events[0]?.block_number;
}

/** Every kind of page, once. */
export const samplePaths = async (apiUrl: string): Promise<string[]> => [
  "/",
  ...new Set((await sampleRecords(apiUrl)).map(({ path }) => path)),
  `/explore/blocks/${await newestBlock(apiUrl)}`,
  "/explore/blocks/0",
  "/explore/leaderboards",
  `/explore/accounts/${ALICE}`,
  "/explore/blocks/1",
  "/explore/status",
  "/explore/leaderboards",
  "/explore/intents",
  "/explore/search?q=1",
  "/explore/search?q=weather",
  "/explore/search?type=agent",
  `/explore/preflight?account=${ALICE}&target=${ALICE}&value=1`,
  "/explore/portfolio",
];
