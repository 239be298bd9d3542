/** The routes of the baseline, one for each kind of work. */
export const baselineRoutes: ReadonlySet<string> = new Set([
  // no database
  "GET /health",
  // a record, a list with filters and derived columns, and the list of a record from two tables
  "GET /agents/{agentId}",
  "GET /intents",
  "GET /intents/{id}/bids",
  // totals, and totals over time
  "GET /analytics/commerce",
  "GET /analytics/timeseries",
  // sentences about events
  "GET /tx/{hash}/explain",
  // stored bytes
  "GET /catalogs/{hash}",
  // a write, and a computation on many rows
  "POST /catalogs",
  "POST /preflight",
]);
