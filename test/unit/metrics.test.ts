import { pino } from "pino";
import { register } from "prom-client";
import { afterAll, describe, expect, it } from "vitest";
import { collectState } from "../../api/observe";

const readiness = {
  ready: false,
  chain_id: 1,
  block_number: null,
  chain_block_number: null,
  lag_blocks: null,
  lag_seconds: null,
  progress: 0,
  eta_seconds: null,
  store: "unavailable" as const,
  reason: "The chain has not answered yet.",
  reasons: ["The chain has not answered yet."],
  unpaid_payments: null,
};

describe("the state in the metrics", () => {
  afterAll(() => register.resetMetrics());

  it("has no value that is unknown, and those that are known", async () => {
    let store: Parameters<typeof collectState>[0]["store"] = () =>
      Promise.reject(new Error("The store does not answer"));
    let state: Parameters<typeof collectState>[0]["readiness"] = async () => readiness;
    collectState({
      readiness: () => state(),
      cache: { bytes: 7 },
      store: () => store(),
      log: pino({ level: "silent" }),
    });
    const samples = async () =>
      (await register.metrics())
        .split("\n")
        .filter((line) =>
          /^intentry_(ready|store_ok|index_|chain_block|unpaid|payments|response_cache_bytes)/.test(line),
        );
    expect(await samples()).toEqual([
      "intentry_response_cache_bytes 7",
      "intentry_ready 0",
      "intentry_store_ok 0",
      "intentry_index_progress 0",
    ]);
    store = async () => ({ execute: async () => ({ rows: [{ state: "SETTLED", count: "2" }] }) }) as never;
    state = async () => ({
      ...readiness,
      block_number: "90",
      chain_block_number: "100",
      lag_blocks: "10",
      lag_seconds: 20,
    });
    expect(await samples()).toEqual([
      "intentry_response_cache_bytes 7",
      "intentry_ready 0",
      "intentry_store_ok 0",
      "intentry_index_block 90",
      "intentry_chain_block 100",
      "intentry_index_lag_blocks 10",
      "intentry_index_lag_seconds 20",
      "intentry_index_progress 0",
      ...["CLAIMED", "SETTLING"].map((name) => `intentry_payments{state="${name}"} 0`),
      'intentry_payments{state="SETTLED"} 2',
      ...["FINAL", "REVERTED", "UNPAID"].map((name) => `intentry_payments{state="${name}"} 0`),
    ]);
  });
});
