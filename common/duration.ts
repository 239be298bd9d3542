const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A number and a unit: seconds, minutes, hours, days or weeks, by their first letter or their name. */
const DURATION = /^(\d{1,6}) ?(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$/i;

/**
 * Reads a duration as seconds. Undefined for other texts.
 *
 * @example
 * readDuration("30m") // 1800n
 * readDuration("2 days") // 172800n
 */
export function readDuration(text: string): bigint | undefined {
  const [, number, unit = ""] = DURATION.exec(text.trim()) ?? [];
  const seconds = SECONDS[unit.charAt(0).toLowerCase()];
  return number === undefined || seconds === undefined ? undefined : BigInt(number) * BigInt(seconds);
}
