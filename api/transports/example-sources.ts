/** Where to find a value: the operation whose example is answered with it, and under which key. */
type Source = { operation: string; key: string };

/**
 * What no example can foresee, because it differs on every chain or every time: by operation and parameter, where a
 * client gets it.
 */
export const exampleSources: Readonly<Record<string, { parameter: string; source: Source }>> = {
  "transactions.explain": { parameter: "hash", source: { operation: "intents.get", key: "tx_hash" } },
  "quotes.get": { parameter: "quoteHash", source: { operation: "quotes.list", key: "quote_hash" } },
  "bids.select": { parameter: "bidId", source: { operation: "bids.create", key: "bid_id" } },
};
