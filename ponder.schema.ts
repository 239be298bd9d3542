// The tables are in src/schema/, because Ponder's build id covers this file and src/, but no other folder.

// Conventions. Amounts and ids are uint256 and fit `bigint()` (numeric(78)). Sums of amounts may exceed uint256, so they
// are unbounded `numeric` (`sum`). Addresses and hashes are lowercase hex. Times are unix seconds of the block.
// Workaround of Ponder 0.16.10: docs/upstream.md#prefetch
// No primary key has an integer column. Without this rule the indexer can stop: Ponder prefetches rows by keys that it predicts
// from event arguments, and a predicted value that does not fit the column's type (a uint256, a text) makes the query fail.
// Test: test/system/prefetch.test.ts "of trust signals and of the event log does not stop the index"
// Strings from the chain have NUL replaced. They may be empty or very long, so no index includes them.
// A descending index column needs `nullsFirst()`, the default of `ORDER BY … DESC`, or PostgreSQL can't sort by the index.

export * from "./src/schema/activity";
export * from "./src/schema/agents";
export * from "./src/schema/attestations";
export * from "./src/schema/commerce";
export * from "./src/schema/event-log";
export * from "./src/schema/intents";
export * from "./src/schema/participants";
export * from "./src/schema/policies";
export * from "./src/schema/settlements";
export * from "./src/schema/solvers";
export * from "./src/schema/totals";
