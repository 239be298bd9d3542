/** The length of a spend window, in seconds. */
export const DAY = 86_400n;

/** The amount spent in the window that began at `lastReset` (unix seconds). */
export type SpendWindow = { spentToday: bigint; lastReset: bigint };

/** Whether the window has ended at `now`, so that its spending no longer counts. */
export const isOver = ({ lastReset }: Pick<SpendWindow, "lastReset">, now: bigint) => now >= lastReset + DAY;

/** The window after a spend at `now`. `dailyTotal` is the new total, from the event. */
export const afterSpend = (window: SpendWindow, now: bigint, dailyTotal: bigint): SpendWindow => ({
  spentToday: dailyTotal,
  lastReset: isOver(window, now) ? now : window.lastReset,
});
