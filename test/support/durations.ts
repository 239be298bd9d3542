/**
 * The duration of test files on two idle cores, in seconds. Only the order matters: the longest file starts first, so that it
 * doesn't run alone at the end. Files of about {@link USUAL} seconds or less need no entry.
 */
export const durations: Record<string, number> = {
  "integration/start": 131,
  "integration/contracts": 100,
  "integration/away-node": 97,
  "integration/upgrade": 90,
  "integration/reorg-exit": 85,
  "integration/restart": 78,
  "integration/dev-reload": 70,
  "integration/package": 65,
  "integration/readiness": 65,
  "integration/large-block": 60,
  "integration/preflight": 59,
  "integration/openapi-fuzz": 50,
  "integration/events-load": 50,
  "integration/events": 49,
  "integration/supervision": 47,
  "faults/kills": 46,
  "integration/shutdown": 43,
  "integration/embedded-postgres": 41,
  "integration/random-run": 40,
  "integration/store": 40,
  "integration/slow-node": 40,
  "integration/for-agents": 35,
  "integration/torn-reads": 32,
  "integration/x402/payment": 31,
  "integration/bad-input": 31,
  "integration/lists": 28,
  "integration/x402/processes": 26,
  "integration/derived-status": 25,
  "unit/snapshot": 24,
  "unit/head": 14,
  "unit/rpc-pool": 12,
};

export const USUAL = 10;
