import type { DocumentRecord } from "./documents";
import { ifAvailable, ifFound, type OnFailure, type Reads } from "./reads";

/** A sentence about a record on chain that has the hash of a document. */
export type Commitment = {
  description: string;
  /** The merchant whose metadata it is. */
  merchant_id?: string;
};

/** Records whose metadata may be a document: the most that are compared. */
const MAX_FOUND = 5;

/** What the chain has of a record's metadata: its address, and for some kinds its hash. */
type MetadataReference = { metadata_uri: string; metadata_hash?: string };

const references: Readonly<Record<string, (api: Reads, id: string) => Promise<MetadataReference>>> = {
  agent: ({ agents }, agentId) => agents.get.query({ agentId }),
  solver: ({ solvers }, id) => solvers.get.query({ id }),
  attestor: ({ attestors }, id) => attestors.get.query({ id }),
  merchant: ({ merchants }, id) => merchants.get.query({ id }),
  service: ({ services }, id) => services.get.query({ id }),
  facilitator: ({ facilitators }, id) => facilitators.get.query({ id }),
};

/** The records whose metadata has a hash, or an address with it. The search also finds records with the hash in a text. */
async function byMetadata(api: Reads, hash: string): Promise<Commitment[]> {
  const { results } = await api.search.find.query({ q: hash, limit: MAX_FOUND });
  const found = await Promise.all(
    results.map(async ({ type, id }) => {
      const read = Object.hasOwn(references, type) ? references[type] : undefined;
      const record = read && (await ifFound(read(api, id)));
      const isMetadata = record && (record.metadata_hash ?? record.metadata_uri).includes(hash);
      if (!isMetadata) return [];
      return [{ description: `The metadata of ${type} #${id}`, ...(type === "merchant" && { merchant_id: id }) }];
    }),
  );
  return found.flat();
}

/** The receipt and the disputes that a document is evidence for. */
async function byReceipt(api: Reads, hash: string, receipt_id: string): Promise<Commitment[]> {
  const [receipt, { disputes }] = await Promise.all([
    ifFound(api.receipts.get.query({ id: receipt_id })),
    api.disputes.list.query({ receipt_id }),
  ]);
  return [
    ...(receipt?.fulfillment_hash === hash
      ? [{ description: `The evidence of the delivery of receipt #${receipt_id}` }]
      : []),
    ...disputes.flatMap(({ dispute_id, reason_hash, resolution_hash }) => [
      ...(reason_hash === hash ? [{ description: `The claim of dispute #${dispute_id}` }] : []),
      ...(resolution_hash === hash ? [{ description: `The decision of dispute #${dispute_id}` }] : []),
    ]),
  ];
}

/** The quotes of an agent that name a request, and the quote that a response names. */
async function byQuote(
  { quotes }: Reads,
  hash: string,
  { agent, merchant_id, quote_hash }: DocumentRecord,
): Promise<Commitment[]> {
  if (quote_hash) {
    const quote = await ifFound(quotes.get.query({ quoteHash: quote_hash }));
    return quote ? [{ description: `It names an offer that was committed (quote ${quote_hash})` }] : [];
  }
  if (!agent || !merchant_id) return [];
  const { quotes: found } = await quotes.list.query({ agent, merchant_id, limit: 100 });
  return found
    .filter(({ resource_hash }) => resource_hash === hash)
    .slice(0, MAX_FOUND)
    .map((quote) => ({ description: `An offer to it was committed (quote ${quote.quote_hash})` }));
}

/** What the chain says about a document. Null if it can't be read. */
export async function readCommitments(
  api: Reads,
  kind: string,
  hash: string,
  record: DocumentRecord,
  onFailure: OnFailure,
): Promise<readonly Commitment[] | null> {
  const read = async () => {
    if (kind === "catalogs") return byMetadata(api, hash);
    if (kind === "fulfillment-evidence") return record.receipt_id ? byReceipt(api, hash, record.receipt_id) : [];
    return byQuote(api, hash, record);
  };
  return ifAvailable(read(), onFailure);
}
