import { stringify } from "viem";
import { nearest } from "../../common/nearest";
import { isJsonObject } from "./inputs";
import { type AnyOperation, z } from "./operation";

/** Parsed input as JSON text. Bigints become decimal strings. */
export const inputText = (input: Record<string, unknown>) => stringify(input);

/** One value of a parsed input. Values of the same field have the same text only if they are equal. */
function valueText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" ? stringify(value) : String(value);
}

/** A key for the values of a parsed input: equal inputs have the same key, however they were sent. */
export function inputKey(fields: readonly string[], input: Record<string, unknown>): string {
  let key = "";
  for (const field of fields) key += `${valueText(input[field])} `;
  return key;
}

/** The object type of an optional or required object. Undefined for other types. */
function objectIn(type: unknown): z.ZodObject | undefined {
  if (type instanceof z.ZodOptional) return objectIn(type.unwrap());
  return type instanceof z.ZodObject ? type : undefined;
}

const fieldOf = (type: z.ZodObject, name: string): unknown =>
  Object.hasOwn(type.shape, name) ? type.shape[name] : undefined;

const isOptional = (field: unknown) => field instanceof z.ZodType && field.safeParse(undefined).success;

/** Whether a member of an input is absent, by its path: `quote.x402_payload_hash`. */
type IsAbsent = (path: string, field: unknown, value: unknown) => boolean;

function withoutAbsent(type: unknown, sent: unknown, isAbsent: IsAbsent, within = ""): unknown {
  const object = objectIn(type);
  if (!object || !isJsonObject(sent)) return sent;
  const members = Object.entries(sent).map(([name, value]) => ({
    name,
    value,
    path: `${within}${name}`,
    field: fieldOf(object, name),
  }));
  return Object.fromEntries(
    members
      .filter(({ path, field, value }) => !isAbsent(path, field, value))
      .map(({ name, path, field, value }) => [name, withoutAbsent(field, value, isAbsent, `${path}.`)]),
  );
}

/**
 * The input without absent members: null, names that the operation ignores and, in operations with a body, the empty text of
 * an optional field. An empty query parameter is an error.
 */
export function presentInput({ route, input, headers = {}, ignored = [] }: AnyOperation, sent: unknown): unknown {
  const hasBody = !route.startsWith("GET ");
  const isText = (value: unknown) => typeof value === "string";
  // Nothing is absent among the parameters of a REST request without a body.
  if (!hasBody && ignored.length === 0 && isJsonObject(sent) && Object.values(sent).every(isText)) return sent;
  const isHeader = (path: string) => Object.values(headers).includes(path);
  return withoutAbsent(
    input,
    sent,
    (path, field, value) =>
      value === null || ignored.includes(path) || (value === "" && hasBody && !isHeader(path) && isOptional(field)),
  );
}

/** How many unknown names, and how many characters of each, an error contains. A client can send thousands. */
const MAX_UNKNOWN = 3;
const MAX_CHARACTERS = 60;

/** How many names an error offers. No operation has more. */
const MAX_OFFERED = 30;

/** A name as the error shows it. */
const shown = (name: string) =>
  name === "" ? '""' : name.length > MAX_CHARACTERS ? `${name.slice(0, MAX_CHARACTERS)}…` : name;

/** What to do about an unknown name. */
function hintFor(name: string, known: readonly string[]): string {
  const [near] = nearest(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return known.length === 0 ? "no names are accepted here" : `the names are ${known.slice(0, MAX_OFFERED).join(", ")}`;
}

/**
 * The problems with names that an operation, or an object in its input, does not have. Empty if it has all of them.
 *
 * @example
 * unknownNames(["valeu"], new Set(["value", "data"])) // ["valeu: unknown; did you mean value?"]
 */
export function unknownNames(sent: Iterable<string>, known: ReadonlySet<string>, within = ""): string[] {
  const unknown = [...new Set(sent)].filter((name) => !known.has(name));
  const problems = unknown
    .slice(0, MAX_UNKNOWN)
    .map((name) => `${within}${shown(name)}: unknown; ${hintFor(name, [...known])}`);
  const more = unknown.length - problems.length;
  return more > 0 ? [...problems, `and ${more} more unknown names`] : problems;
}

/** The names of the object at a path of an input. */
function namesAt(type: unknown, [first, ...others]: readonly PropertyKey[]): ReadonlySet<string> {
  const object = objectIn(type);
  if (!object) return new Set();
  return first === undefined ? new Set(Object.keys(object.shape)) : namesAt(fieldOf(object, String(first)), others);
}

/**
 * Validation messages, each prefixed with the name of the parameter or header. Of an input with unknown names only these are
 * reported: a misspelled name is also missing under its own.
 */
export function problemsOf(
  { issues }: z.ZodError,
  { input, headers = {} }: Pick<AnyOperation, "input" | "headers">,
): string[] {
  const unknown = issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [];
    const within = issue.path.map((name) => `${String(name)}.`).join("");
    return unknownNames(issue.keys, namesAt(input, issue.path), within);
  });
  if (unknown.length > 0) return unknown;
  return issues.map(({ path, message }) => {
    const name = path.join(".");
    const header = Object.entries(headers).find(([, part]) => part === name)?.[0];
    return name === "" ? message : `${header ?? name}: ${message}`;
  });
}
