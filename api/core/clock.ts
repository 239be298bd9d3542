/** The time of one request, for expiry checks. */
export type Clock = {
  /** Unix seconds. */
  readonly now: bigint;
  /** Whether the time has reached `deadline`. */
  hasReached: (deadline: bigint) => boolean;
};

export const clockAt = (now: bigint): Clock => ({ now, hasReached: (deadline) => now >= deadline });

/** Whole seconds until a time, at least one. Times are in milliseconds. */
export const secondsUntil = (end: number, now: number) => Math.max(1, Math.ceil((end - now) / 1000));
