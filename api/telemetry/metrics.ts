import { Counter, Gauge, Histogram } from "prom-client";

// The gateway's metrics. With several processes on one port, a scrape returns the values of all of them: counters and most
// gauges as sums, and gauges about the index, which all of them share, as one value.

export const requestSeconds = new Histogram({
  name: "intentry_request_duration_seconds",
  help: "Duration of requests, by operation and status.",
  labelNames: ["operation", "status"],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
});

export const cacheRequests = new Counter({
  name: "intentry_response_cache_requests_total",
  help: "Reads that were served from the response cache (hit), and reads that were computed (miss).",
  labelNames: ["result"],
});

export const cacheBytes = new Gauge({ name: "intentry_response_cache_bytes", help: "Memory of the response cache." });

export const databaseConnections = new Gauge({
  name: "intentry_database_connections",
  help: "Database connections that are idle or busy, and requests that wait for one.",
  labelNames: ["pool", "state"],
});

export const ready = new Gauge({
  name: "intentry_ready",
  help: "1 if /ready returns 200, otherwise 0.",
  aggregator: "min",
});

export const storeOk = new Gauge({
  name: "intentry_store_ok",
  help: "1 if the store accepts writes, otherwise 0.",
  aggregator: "min",
});

export const indexBlock = new Gauge({
  name: "intentry_index_block",
  help: "The newest indexed block.",
  aggregator: "min",
});

export const chainBlock = new Gauge({
  name: "intentry_chain_block",
  help: "The chain's newest block.",
  aggregator: "max",
});

export const indexLagBlocks = new Gauge({
  name: "intentry_index_lag_blocks",
  help: "How many blocks the index is behind the chain.",
  aggregator: "max",
});

export const indexLagSeconds = new Gauge({
  name: "intentry_index_lag_seconds",
  help: "How long the index has been behind the chain.",
  aggregator: "max",
});

export const indexProgress = new Gauge({
  name: "intentry_index_progress",
  help: "Progress of the backfill, from 0 to 1.",
  aggregator: "min",
});

export const eventStreams = new Gauge({ name: "intentry_event_streams", help: "Open event streams." });

export const eventMessages = new Counter({
  name: "intentry_event_messages_total",
  help: "Messages sent on event streams.",
});

export const droppedStreams = new Counter({
  name: "intentry_event_streams_dropped_total",
  help: "Event streams that ended because the subscriber was too slow.",
});

export const payments = new Gauge({
  name: "intentry_payments",
  help: "Payments in the store, by state. Settled payments are deleted once they have expired.",
  labelNames: ["state"],
  aggregator: "max",
});

export const unpaidPayments = new Gauge({
  name: "intentry_unpaid_payments",
  help: "Delivered responses whose payment a reorg removed, and which could not be settled again yet.",
  aggregator: "max",
});

export const paidRequests = new Counter({
  name: "intentry_paid_requests_total",
  help: "Requests for paid operations, by status.",
  labelNames: ["status"],
});

export const replicaLagSeconds = new Gauge({
  name: "intentry_replica_lag_seconds",
  help: "How far a replica is behind the primary.",
  labelNames: ["replica"],
  aggregator: "max",
});

export const replicaInUse = new Gauge({
  name: "intentry_replica_in_use",
  help: "Gateway processes that read the index from this replica.",
  labelNames: ["replica"],
});

export const replicaUsable = new Gauge({
  name: "intentry_replica_usable",
  help: "1 if this replica responds and is not too far behind, otherwise 0. A gateway process reads from one of them.",
  labelNames: ["replica"],
  aggregator: "min",
});
