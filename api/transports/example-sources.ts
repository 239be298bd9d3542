/** The source of a value: an operation, and the key in the response of its example. */
type Source = { operation: string; key: string };

/**
 * Parameters whose example value differs between chains or runs, by operation. A client reads the value from the source.
 */
export const exampleSources: Readonly<Record<string, { parameter: string; source: Source }>> = {
  "transactions.explain": { parameter: "hash", source: { operation: "intents.get", key: "tx_hash" } },
  "settlements.get": {
    parameter: "executionHash",
    source: { operation: "settlements.list", key: "execution_hash" },
  },
  "quotes.get": { parameter: "quoteHash", source: { operation: "quotes.list", key: "quote_hash" } },
  "actions.recordReceipt": { parameter: "quote_hash", source: { operation: "quotes.list", key: "quote_hash" } },
  "actions.payQuote": { parameter: "quote_hash", source: { operation: "quotes.list", key: "quote_hash" } },
  "actions.executeSettlement": { parameter: "quote_hash", source: { operation: "quotes.list", key: "quote_hash" } },
  "bids.select": { parameter: "bidId", source: { operation: "bids.create", key: "bid_id" } },
};
