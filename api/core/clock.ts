/** The time of one request, for expiry checks. */
export type Clock = {
  /** Unix seconds. */
  readonly now: bigint;
  /** Whether the time has reached `deadline`. */
  hasReached: (deadline: bigint) => boolean;
};

export const clockAt = (now: bigint): Clock => ({ now, hasReached: (deadline) => now >= deadline });
