import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Repeated, repeat } from "../../config/repeat";
import { steadyTime } from "../../config/steady-time";
import { databaseProblemOf } from "../indexed/problem";
import type { StoreDatabase } from "../offchain/open";
import { isDiskFull, isProbeForbidden, WRITE_PROBE } from "../offchain/write-probe";

/** Accepts writes, is read-only, has a full disk, or is unavailable. */
export const storeStates = ["ok", "read-only", "full", "unavailable"] as const;
export type StoreState = (typeof storeStates)[number];

export type StoreHealth = Pick<Repeated, "stop"> & { state: () => StoreState };

const Rows = z.object({ rows: z.tuple([z.object({ read_only: z.boolean() })]) });

/** Checks whether the store accepts writes. Replicas, read-only databases and full disks do not. */
async function readStoreState(
  store: () => Promise<Pick<StoreDatabase, "execute">>,
  writes: boolean,
): Promise<StoreState> {
  try {
    const db = await store();
    const answer = await db.execute(
      sql`SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only`,
    );
    if (Rows.parse(answer).rows[0].read_only) return "read-only";
    if (writes) await db.execute(sql.raw(WRITE_PROBE));
    return "ok";
  } catch (error) {
    if (isProbeForbidden(error)) return "ok";
    if (isDiskFull(error)) return "full";
    return databaseProblemOf(error) === "read-only" ? "read-only" : "unavailable";
  }
}

const INTERVAL_MS = 2_000;

/** How often a check includes a write, while the store accepts writes. Otherwise every check does. */
const WRITE_INTERVAL_MS = 10_000;

/** A check that takes longer than this means unavailable. */
const TIMEOUT_MS = 5_000;

/** Checks the store every 2 s, one query at a time, and writes to it every 10 s. */
export function watchStore(
  store: () => Promise<Pick<StoreDatabase, "execute">>,
  onChange: (state: StoreState) => void = () => {},
): StoreHealth {
  let state: StoreState = "unavailable";
  let checkStartedAt: number | undefined;
  let writtenAt = 0;
  let isStopped = false;

  async function check(): Promise<void> {
    checkStartedAt = steadyTime();
    const writes = state !== "ok" || checkStartedAt - writtenAt >= WRITE_INTERVAL_MS;
    if (writes) writtenAt = checkStartedAt;
    const answer = await readStoreState(store, writes);
    checkStartedAt = undefined;
    if (isStopped) return;
    if (answer !== state) onChange(answer);
    state = answer;
  }

  const checks = repeat({
    task: check,
    pauseMs: INTERVAL_MS,
    // Every failure of the store is a state.
    onError(error) {
      throw error;
    },
  });
  return {
    state: () => (checkStartedAt !== undefined && steadyTime() - checkStartedAt > TIMEOUT_MS ? "unavailable" : state),
    stop() {
      isStopped = true;
      return checks.stop();
    },
  };
}
