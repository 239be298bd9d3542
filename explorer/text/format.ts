/**
 * The beginning and the end of an address or a hash.
 *
 * @example
 * shortHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8") // "0x7099…79c8"
 */
export const shortHex = (hex: string): string => (hex.length <= 14 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`);

/**
 * A ratio of two counts in percent; undefined if the second is zero.
 *
 * @example
 * percentOf("1", "3") // "33.3 %"
 */
export function percentOf(part: string, whole: string): string | undefined {
  if (BigInt(whole) === 0n) return undefined;
  const tenths = (BigInt(part) * 1000n + BigInt(whole) / 2n) / BigInt(whole);
  return `${tenths / 10n}.${tenths % 10n} %`;
}

/** A link from outside that is safe to offer: http or https. Undefined for all others, such as `javascript:`. */
export function safeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}
