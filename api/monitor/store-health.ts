import { sql } from "drizzle-orm";
import { z } from "zod";
import { steadyTime } from "../../config/steady-time";
import { databaseProblemOf } from "../database/problem";
import type { StoreDatabase } from "../store/open";

/** Read-write, read-only or unavailable. */
export const storeStates = ["ok", "read-only", "unavailable"] as const;
export type StoreState = (typeof storeStates)[number];

export type StoreHealth = {
  state: () => StoreState;
  stop: () => void;
};

const Rows = z.object({ rows: z.tuple([z.object({ read_only: z.boolean() })]) });

/** Checks whether the store accepts writes. Replicas and read-only databases do not. */
async function readStoreState(store: () => Promise<Pick<StoreDatabase, "execute">>): Promise<StoreState> {
  try {
    const db = await store();
    const answer = await db.execute(
      sql`SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only`,
    );
    return Rows.parse(answer).rows[0].read_only ? "read-only" : "ok";
  } catch (error) {
    return databaseProblemOf(error) === "read-only" ? "read-only" : "unavailable";
  }
}

const INTERVAL_MS = 2_000;

/** A check that takes longer than this means unavailable. */
const TIMEOUT_MS = 5_000;

/** Checks the store every 2 s, one query at a time. */
export function watchStore(
  store: () => Promise<Pick<StoreDatabase, "execute">>,
  onChange: (state: StoreState) => void = () => {},
): StoreHealth {
  let state: StoreState = "unavailable";
  let checkStartedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function check(): Promise<void> {
    checkStartedAt = steadyTime();
    const answer = await readStoreState(store);
    checkStartedAt = undefined;
    if (stopped) return;
    if (answer !== state) onChange(answer);
    state = answer;
    timer = setTimeout(() => void check(), INTERVAL_MS);
    timer.unref();
  }

  void check();
  return {
    state: () => (checkStartedAt !== undefined && steadyTime() - checkStartedAt > TIMEOUT_MS ? "unavailable" : state),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
