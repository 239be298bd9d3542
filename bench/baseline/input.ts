import type { Address, Hex } from "viem";

/** An error with the HTTP status of its response. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const notFound = (message: string) => new HttpError(404, message);

const badInput = (name: string, problem: string) => new HttpError(400, `${name}: ${problem}`);

const UINT256_MAX = 2n ** 256n - 1n;

/** An unsigned 256-bit integer, without leading zeros. */
export function id(name: string, value: unknown): string {
  const number = typeof value === "string" && /^\d{1,100}$/.test(value) ? BigInt(value) : -1n;
  if (number < 0n || number > UINT256_MAX)
    throw badInput(name, "must be a whole number from 0 to 2^256 - 1 in decimal digits");
  return String(number);
}

export function address(name: string, value: unknown): Address {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw badInput(name, value === undefined ? "is required" : "must be an address: 0x and 40 hex digits");
  return value.toLowerCase() as Address;
}

export function hash(name: string, value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(value))
    throw badInput(name, "must be a hash: 0x and 64 hex digits");
  return value.toLowerCase() as Hex;
}

export function bytes(name: string, value: unknown): Hex {
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value))
    throw badInput(name, "must be bytes: 0x and an even number of hex digits");
  return value.toLowerCase() as Hex;
}

export function text(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > 160 || value.includes("\0"))
    throw badInput(name, "must be a text of 1 to 160 characters, without NUL");
  return value;
}

/** One of several names, case-insensitive. */
export const oneOf =
  (...names: string[]) =>
  (name: string, value: unknown): string => {
    const found = names.find((one) => one === String(value).toLowerCase());
    if (found === undefined) throw badInput(name, `must be one of ${names.join(", ")}`);
    return found;
  };

/** A time in unix seconds. */
export function seconds(name: string, value: unknown): number {
  if (typeof value !== "string" || !/^\d{1,12}$/.test(value)) throw badInput(name, "must be a time in unix seconds");
  return Number(value);
}

/** Parses a parameter that may be absent. */
export const optional = <Value>(
  parse: (name: string, value: unknown) => Value,
  name: string,
  parameters: Record<string, unknown>,
): Value | undefined => (parameters[name] === undefined ? undefined : parse(name, parameters[name]));
