/** The intervals of time series, in seconds. Days are days of UTC. */
export const intervalSeconds = { hour: 3_600n, day: 86_400n, week: 604_800n } as const;

export type Interval = keyof typeof intervalSeconds;

/** Weeks start on Monday. The first Monday of unix time is 5 January 1970. */
const FIRST_MONDAY = 345_600n;

/**
 * The first second of the interval that contains a time. Times are unix seconds.
 *
 * @example
 * startOf("day", 1_767_312_061n) // 1_767_312_000n, which is 2026-01-02 00:00 UTC
 */
export function startOf(interval: Interval, time: bigint): bigint {
  const seconds = intervalSeconds[interval];
  if (interval !== "week") return time - (time % seconds);
  // The week of 1 January 1970 began in 1969.
  return time < FIRST_MONDAY ? FIRST_MONDAY - seconds : time - ((time - FIRST_MONDAY) % seconds);
}
