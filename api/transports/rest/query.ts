import { BadInput } from "../../core/errors";

/**
 * Reads the known parameters of a query string and ignores others. Throws {@link BadInput} for empty, repeated and
 * incorrectly encoded values.
 *
 * @example
 * readQuery("limit=2&owner=0xab", new Set(["limit", "owner"])) // { limit: "2", owner: "0xab" }
 */
export function readQuery(query: string, known: ReadonlySet<string>): Record<string, string> {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const part of query.split("&")) {
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (name === undefined || !known.has(name)) continue;
    const value = decode(equals === -1 ? "" : part.slice(equals + 1));
    if (value === undefined) problems.push(`${name}: is not valid percent-encoding`);
    else if (value === "") problems.push(`${name}: is empty`);
    else if (Object.hasOwn(values, name)) problems.push(`${name}: is given more than once`);
    else values[name] = value;
  }
  if (problems.length > 0) throw new BadInput(...new Set(problems));
  return values;
}

/** Decodes percent-encoding. Returns undefined if it is invalid. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
