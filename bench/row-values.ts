// SQL of generated values, for row `n` of `rows`. The fewer distinct values there are, the more rows share each.

const OWNERS = 20_000;
const TOKENS = 50;

/** SQL for a pseudo-random hex value derived from a number. */
export const hex = (digits: 40 | 64, kind: string, number: string) =>
  `('0x' || left(md5('${kind}' || (${number})::text) || md5('more ${kind}' || (${number})::text), ${digits}))`;

/**
 * SQL for a number from 1 to `many`, chosen deterministically for row `n`. The distribution is skewed (cubed): the first
 * numbers have many rows, and most have few.
 */
export const skewedNumber = (many: number, salt: string) =>
  `(1 + floor(${many} * power((hashtextextended('${salt}' || n::text, 0) & 1073741823) / 1073741824.0, 3)))::bigint`;

/** SQL for a number from 0 to 99, chosen deterministically for row `n`. */
export const percent = (salt: string) => `((hashtextextended('${salt}' || n::text, 0) & 1073741823) % 100)`;

export const owner = (salt: string) => hex(40, "owner", skewedNumber(OWNERS, salt));
export const owned = (salt: string) => hex(64, salt, skewedNumber(OWNERS, salt));
export const token = (salt: string) => hex(40, "token", skewedNumber(TOKENS, salt));
export const hash = (salt: string) => hex(64, salt, "n");

/** The current time in the generated index. There is a new intent every 30 s, and most expire after a day. */
export const NOW = 2_000_000_000n;

export const time = "(2000000000 - 30 * (rows - n))";
