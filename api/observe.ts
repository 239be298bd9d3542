import { sql } from "drizzle-orm";
import type { Logger } from "pino";
import { z } from "zod";
import type { ResponseCache } from "./http/response-cache";
import type { Readiness } from "./monitor/readiness";
import type { StoreDatabase } from "./offchain/open";
import { payment } from "./offchain/tables";
import {
  cacheBytes,
  chainBlock,
  indexBlock,
  indexLagBlocks,
  indexLagSeconds,
  indexProgress,
  payments,
  ready,
  storeOk,
  unpaidPayments,
} from "./telemetry/metrics";
import { collectGauges } from "./telemetry/scrape";

type Options = {
  readiness: () => Promise<Readiness & { unpaid_payments: number | null }>;
  cache: Pick<ResponseCache, "bytes"> | undefined;
  store: () => Promise<StoreDatabase>;
  log: Logger;
};

const States = z.object({ rows: z.array(z.object({ state: z.string(), count: z.coerce.number() })) });

/** Updates the gauges of the gateway's state before each scrape. An unknown value is not exported. */
export function collectState({ readiness, cache, store, log }: Options): void {
  const set = (gauge: typeof ready, value: string | number | null) => {
    // `reset` would export 0.
    if (value === null) gauge.remove();
    else gauge.set(Number(value));
  };
  collectGauges(
    [
      ready,
      storeOk,
      indexBlock,
      chainBlock,
      indexLagBlocks,
      indexLagSeconds,
      indexProgress,
      unpaidPayments,
      cacheBytes,
    ],
    async () => {
      const state = await readiness();
      set(ready, state.ready ? 1 : 0);
      set(storeOk, state.store === "ok" ? 1 : 0);
      set(indexBlock, state.block_number);
      set(chainBlock, state.chain_block_number);
      set(indexLagBlocks, state.lag_blocks);
      set(indexLagSeconds, state.lag_seconds);
      set(indexProgress, state.progress);
      set(unpaidPayments, state.unpaid_payments);
      set(cacheBytes, cache?.bytes ?? 0);
    },
  );
  collectGauges([payments], async () => {
    payments.reset();
    try {
      const found = await (await store()).execute(sql`SELECT state, count(*) AS count FROM ${payment} GROUP BY 1`);
      // A state without payments is 0: an alert would not see that a series ends, and take it for constant.
      for (const state of payment.state.enumValues) payments.set({ state }, 0);
      for (const { state, count } of States.parse(found).rows) payments.set({ state }, count);
    } catch (error) {
      // The other metrics matter most while the store does not answer.
      log.warn({ err: error }, "the payments could not be counted for the metrics");
    }
  });
}
