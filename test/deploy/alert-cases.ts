/** Series in the notation of promtool, one value per minute. `1+60x99` is 100 values that grow by 60. */
type Series = Readonly<Record<string, string>>;

const api = (metric: string, labels = "") => `${metric}{job="intentry-api",instance="api1"${labels && `,${labels}`}}`;
const indexer = (metric: string, labels = "") =>
  `${metric}{job="intentry-indexer",instance="indexer"${labels && `,${labels}`}}`;

/** The length of the series, and of the two that an alert compares with the day before. */
const MINUTES = 64;
const LONG_MINUTES = 1_600;

/** When an alert must fire. */
export const minutesUntil = (alert: string): number => (alert === "IntentryCacheHitRate" ? LONG_MINUTES - 5 : 60);

const always = (value: number) => `${value}x${MINUTES}`;
const growing = (perMinute: number) => `0+${perMinute}x${MINUTES}`;

const requests = (status: string, series: string) => ({
  [api("intentry_request_duration_seconds_count", `operation="intents.get",status="${status}"`)]: series,
});

/** A service without problems, for which no alert may fire. */
export const healthy: Series = {
  [api("up")]: always(1),
  [indexer("up")]: always(1),
  [api("intentry_ready")]: always(1),
  [api("intentry_store_ok")]: always(1),
  [api("intentry_index_progress")]: always(1),
  [api("intentry_index_lag_seconds")]: always(2),
  [api("intentry_chain_block")]: growing(30),
  [api("process_start_time_seconds")]: always(1),
  [indexer("process_start_time_seconds")]: always(1),
  [api("process_open_fds")]: always(100),
  [api("process_max_fds")]: always(65_536),
  [api("nodejs_eventloop_lag_p99_seconds")]: always(0.01),
  ...requests("200", growing(600)),
  ...requests("503", growing(3)),
  [api("intentry_request_duration_seconds_bucket", 'operation="intents.get",status="200",le="0.1"')]: growing(600),
  [api("intentry_request_duration_seconds_bucket", 'operation="intents.get",status="200",le="5"')]: growing(600),
  [api("intentry_request_duration_seconds_bucket", 'operation="intents.get",status="200",le="+Inf"')]: growing(600),
  // A stream of an hour.
  [api("intentry_request_duration_seconds_bucket", 'operation="events.subscribe",status="200",le="5"')]: growing(0),
  [api("intentry_request_duration_seconds_bucket", 'operation="events.subscribe",status="200",le="+Inf"')]: growing(60),
  [api("intentry_request_duration_seconds_count", 'operation="events.subscribe",status="200"')]: growing(60),
  [api("intentry_response_cache_requests_total", 'result="hit"')]: growing(500),
  [api("intentry_response_cache_requests_total", 'result="miss"')]: growing(100),
  [api("intentry_database_connections", 'pool="index",state="waiting"')]: always(0),
  [api("intentry_rpc_requests_total", 'node="rpc.example.com",result="ok"')]: growing(60),
  [api("intentry_rpc_requests_total", 'node="rpc.example.com",result="error"')]: growing(1),
  [indexer("ponder_rpc_request_error_total", 'chain="protocol",method="eth_getLogs"')]: always(3),
  [api("intentry_event_streams_dropped_total")]: growing(1),
  [api("intentry_unpaid_payments")]: always(0),
  [api("intentry_payments", 'state="SETTLING"')]: "0 1 0 0 ".repeat(MINUTES / 4).trim(),
  [api("intentry_payments", 'state="REVERTED"')]: always(0),
  [api("intentry_replica_lag_seconds", 'replica="replica1"')]: always(1),
  [api("intentry_replica_in_use", 'replica="replica1"')]: always(1),
  [api("intentry_replica_usable", 'replica="replica1"')]: always(1),
  // The process reads from the other one.
  [api("intentry_replica_in_use", 'replica="replica2"')]: always(0),
  [api("intentry_replica_usable", 'replica="replica2"')]: always(1),
  'node_filesystem_avail_bytes{instance="db",mountpoint="/",fstype="ext4"}': always(50),
  'node_filesystem_size_bytes{instance="db",mountpoint="/",fstype="ext4"}': always(100),
};

/** The series that differ from {@link healthy} when an alert must fire, by the alert. Null for a missing one. */
export const firing: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  IntentryInstanceDown: { [api("up")]: always(0) },
  IntentryNoInstance: { [indexer("up")]: null },
  IntentryNotReady: { [api("intentry_ready")]: always(0) },
  IntentryNoneReady: { [api("intentry_ready")]: always(0) },
  IntentryRestartLoop: { [indexer("process_start_time_seconds")]: growing(1) },
  IntentryIndexLag: { [api("intentry_index_lag_seconds")]: always(90) },
  IntentryBackfillStalled: { [api("intentry_index_progress")]: always(0.4) },
  IntentryChainStalled: { [api("intentry_chain_block")]: always(100) },
  IntentryRpcErrors: { [api("intentry_rpc_requests_total", 'node="rpc.example.com",result="error"')]: growing(30) },
  IntentryIndexerRpcErrors: {
    [indexer("ponder_rpc_request_error_total", 'chain="protocol",method="eth_getLogs"')]: growing(5),
  },
  IntentryErrorRate: requests("503", growing(30)),
  IntentryLatency: {
    [api("intentry_request_duration_seconds_bucket", 'operation="intents.get",status="200",le="0.1"')]: growing(500),
  },
  IntentryCacheHitRate: {
    [api("intentry_response_cache_requests_total", 'result="hit"')]: "0+500x1450 725000x150",
    [api("intentry_response_cache_requests_total", 'result="miss"')]: `0+100x${LONG_MINUTES}`,
  },
  IntentryEventLoopLag: { [api("nodejs_eventloop_lag_p99_seconds")]: always(0.5) },
  IntentryEventStreamsDropped: { [api("intentry_event_streams_dropped_total")]: growing(10) },
  IntentryFileDescriptors: { [api("process_open_fds")]: always(60_000) },
  IntentryStoreUnavailable: { [api("intentry_store_ok")]: always(0) },
  IntentryDatabaseConnectionsWaiting: {
    [api("intentry_database_connections", 'pool="index",state="waiting"')]: always(4),
  },
  IntentryReplicaLag: { [api("intentry_replica_lag_seconds", 'replica="replica1"')]: always(60) },
  IntentryReplicaLeftOut: { [api("intentry_replica_usable", 'replica="replica1"')]: always(0) },
  IntentryDiskSpace: { 'node_filesystem_avail_bytes{instance="db",mountpoint="/",fstype="ext4"}': always(5) },
  IntentryUnpaidPayments: { [api("intentry_unpaid_payments")]: always(1) },
  IntentryPaymentsSettling: { [api("intentry_payments", 'state="SETTLING"')]: always(1) },
  IntentryPaymentsReverted: { [api("intentry_payments", 'state="REVERTED"')]: always(1) },
};
