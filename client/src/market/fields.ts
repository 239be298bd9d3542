import type { Hex } from "viem";
import { IntentryError } from "../error";

/** The error for a document or message of another party that can't be used. */
export const unusable = (message: string, cause?: unknown): IntentryError =>
  new IntentryError(message, { code: "invalid_quote", ...(cause !== undefined && { cause }) });

/** Reads fields of a JSON object that another party wrote. Each reader throws with the name of the field. */
export type Fields = {
  text: (name: string) => string;
  uint: (name: string) => bigint;
  /** Hex digits of a number of bytes, or of any number. */
  hex: (name: string, bytes?: number) => Hex;
  /** 32 bytes in lowercase. */
  hash: (name: string) => Hex;
  /** A member that is itself an object. */
  object: (name: string) => Fields;
  /** The members of an array of objects. */
  list: (name: string) => Fields[];
  has: (name: string) => boolean;
};

const isHex = (value: string): value is Hex => /^0x[0-9a-f]*$/i.test(value);

/** The fields of a value, which must be a JSON object. `what` names it in errors. */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unusable(`${what} is not a JSON object`);
  const members: Record<string, unknown> = { ...value };
  const text = (name: string) => {
    const member = members[name];
    if (typeof member !== "string" || member === "") throw unusable(`${what}: ${name} must be a text`);
    return member;
  };
  const hex = (name: string, bytes?: number) => {
    const digits = text(name);
    const isSize = bytes === undefined ? digits.length % 2 === 0 : digits.length === 2 + 2 * bytes;
    if (!isHex(digits) || !isSize) throw unusable(`${what}: ${name} must have ${bytes ?? "whole"} bytes in hex digits`);
    return digits;
  };
  return {
    text,
    hex,
    hash: (name) => hex(name, 32).toLowerCase() as Hex,
    uint(name) {
      const digits = text(name);
      if (!/^\d{1,78}$/.test(digits)) throw unusable(`${what}: ${name} must be a whole number in decimal digits`);
      return BigInt(digits);
    },
    object: (name) => fieldsOf(members[name], `${what}: ${name}`),
    list(name) {
      const member = members[name];
      if (!Array.isArray(member)) throw unusable(`${what}: ${name} must be an array`);
      return member.map((one, index) => fieldsOf(one, `${what}: ${name}[${index}]`));
    },
    has: (name) => members[name] !== undefined && members[name] !== null,
  };
}

/** The fields of a JSON text. */
export function fieldsIn(json: string, what: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw unusable(`${what} is not JSON`, error);
  }
  return fieldsOf(value, what);
}
