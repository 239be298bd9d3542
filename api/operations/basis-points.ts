import { average } from "../core/average";

/**
 * A part in basis points of a whole, with at most six fraction digits, rounded half away from zero. The whole is positive.
 *
 * @example
 * basisPoints(-1n, 800n) // "-12.5"
 */
export function basisPoints(part: bigint, whole: bigint): string {
  const size = average(10_000n * (part < 0n ? -part : part), whole);
  return part < 0n && size !== "0" ? `-${size}` : size;
}
