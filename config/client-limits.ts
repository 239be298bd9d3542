/** How often an idle event stream gets a heartbeat. Shorter on a local chain, so that a lost connection is seen soon. */
const heartbeatMs = { local: 2_000, elsewhere: 15_000 };

/** The limits that have no variable. Undefined for no limit: all clients of a local chain are on this machine. */
export const clientLimits = (isLocal: boolean) => {
  const elsewhere = (limit: number) => (isLocal ? undefined : limit);
  return {
    /** Writes per client and minute. */
    writesPerMinute: elsewhere(600),
    /** Bytes of documents, schemas, metadata and bids that a client without a token may store per day (UTC). */
    storedBytesPerDay: elsewhere(64 * 1024 * 1024),
    /** Reads of a client that a process runs at the same time. Reads from the cache don't count. */
    readsAtOnce: elsewhere(8),
    /** Rejected payments per client, process and minute, such as wrongly signed ones. */
    rejectedPaymentsPerMinute: elsewhere(60),
    /** Open event streams per client and process. */
    eventStreamsPerClient: elsewhere(100),
    eventHeartbeatMs: isLocal ? heartbeatMs.local : heartbeatMs.elsewhere,
  };
};
