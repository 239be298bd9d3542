import type { Context } from "ponder:registry";
import { activity, type activityMetrics } from "ponder:schema";
import type { Address } from "viem";
import { startOf } from "../../common/rows/interval";
import { addTo } from "./add-to";

type Metric = (typeof activityMetrics)[number];
type Volume = Extract<Metric, `${string}_volume`>;

/** Where and when an event happened. */
type Happened = { context: Pick<Context, "db">; event: { block: { timestamp: bigint } } };

async function addActivity({ context, event }: Happened, metric: Metric, token: string, value: bigint): Promise<void> {
  const intervals = ["hour", "day"] as const;
  const keys = intervals.map((interval) => {
    return { metric, token, interval, start: startOf(interval, event.block.timestamp) };
  });
  await addTo(context.db, activity, keys, { value });
}

/** Counts one event in the hour and the day of its block. */
export const countActivity = (happened: Happened, metric: Exclude<Metric, Volume>) =>
  addActivity(happened, metric, "", 1n);

/** Adds an amount of a token to the volume of the hour and the day of the event's block. */
export const addVolume = (happened: Happened, metric: Volume, token: Address, amount: bigint) =>
  addActivity(happened, metric, token, amount);
