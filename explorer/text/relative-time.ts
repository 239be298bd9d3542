const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Older times are written as dates. */
const MAX_AGE = 30 * DAY;

/** How far the clock of a chain may be ahead of the reader's, so that its newest events are in the future. */
const MAX_DRIFT = 15 * MINUTE;

const units = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
] as const;

/** A number of seconds in its largest unit, rounded down, such as "2 h". Undefined if it is less than a minute. */
export function duration(seconds: number): string | undefined {
  const unit = units.find(([length]) => seconds >= length);
  return unit && `${Math.floor(seconds / unit[0])} ${unit[1]}`;
}

type Options = {
  /** Whether it is the time of something that happened. */
  isEvent?: boolean;
};

/**
 * The distance between two times in unix seconds, in its largest unit. Undefined if it is more than 30 days.
 *
 * @example
 * relativeTime(1_000n, 1_150) // "2 min ago"
 * relativeTime(90_000n, 3_600) // "in 1 d"
 */
export function relativeTime(seconds: bigint, now: number, { isEvent = false }: Options = {}): string | undefined {
  const difference = now - Number(seconds);
  if (isEvent && difference < 0 && difference >= -MAX_DRIFT) return "just now";
  const distance = Math.abs(difference);
  if (distance > MAX_AGE) return undefined;
  const text = duration(distance);
  if (text === undefined) return difference < 0 ? "in under 1 min" : "just now";
  return difference < 0 ? `in ${text}` : `${text} ago`;
}
