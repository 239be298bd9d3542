/** The length of a spend window, in seconds. */
export const DAY = 86_400n;

/** What an account has spent in the window that began at `lastReset` (unix seconds). */
export type SpendWindow = { spentToday: bigint; lastReset: bigint };

/** Whether the window is over at `now`, so that what was spent in it no longer counts. */
export const isOver = ({ lastReset }: Pick<SpendWindow, "lastReset">, now: bigint) => now >= lastReset + DAY;

/** The window after a spend recorded at `now` that brought the day's total to `dailyTotal`, as the event carries it. */
export const afterSpend = (window: SpendWindow, now: bigint, dailyTotal: bigint): SpendWindow => ({
  spentToday: dailyTotal,
  lastReset: isOver(window, now) ? now : window.lastReset,
});
