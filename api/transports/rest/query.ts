import { BadInput } from "../../core/errors";
import { unknownNames } from "../../core/input-object";
import type { Route } from "./route";

type Parameter = { name: string; value: string | undefined };

/** The parameters of a query string. Of invalid percent-encoding, a value is undefined and a name is kept as sent. */
const parametersIn = (query: string): Parameter[] =>
  query
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      const name = equals === -1 ? part : part.slice(0, equals);
      return { name: decode(name) ?? name, value: decode(equals === -1 ? "" : part.slice(equals + 1)) };
    });

/**
 * Reads the parameters of a query string. Throws {@link BadInput} for unknown names, and for empty, repeated and incorrectly
 * encoded values.
 *
 * @example
 * readQuery("limit=2&owner=0xab", new Set(["limit", "owner"])) // { limit: "2", owner: "0xab" }
 */
export function readQuery(query: string, known: ReadonlySet<string>): Record<string, string> {
  if (query === "") return {};
  const parameters = parametersIn(query);
  const unknown = unknownNames(
    parameters.map(({ name }) => name),
    known,
  );
  if (unknown.length > 0) throw new BadInput(...unknown);
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const { name, value } of parameters) {
    if (value === undefined) problems.push(`${name}: is not valid percent-encoding`);
    else if (value === "") problems.push(`${name}: is empty`);
    else if (Object.hasOwn(values, name)) problems.push(`${name}: is given more than once`);
    else values[name] = value;
  }
  if (problems.length > 0) throw new BadInput(...new Set(problems));
  return values;
}

/** Throws {@link BadInput} for parameters in the query of a request with a body. They would have no effect. */
export function rejectQuery(query: string, { bodyNames }: Route): void {
  const [first] = parametersIn(query);
  if (first && bodyNames.has(first.name))
    throw new BadInput(`${first.name}: unknown in the query; send it in the body`);
  readQuery(query, new Set());
}

/** Decodes percent-encoding. Returns undefined if it is invalid. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
