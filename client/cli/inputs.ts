import { nearest } from "../../common/nearest";
import { WrongUsage } from "./failure";

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function jsonOf(sent: string, what: string): unknown {
  try {
    return JSON.parse(sent);
  } catch (error) {
    throw new WrongUsage(`${what} is not valid JSON (${reasonOf(error)}): ${sent}`);
  }
}

function objectOf(sent: string): Record<string, unknown> {
  const value = jsonOf(sent, "The input");
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new WrongUsage(`The input must be a JSON object, such as '{"agentId":"1"}', not ${sent}`);
}

/** `name=text` or `name:=json`. */
const pair = /^([A-Za-z_]\w*)(:?=)(.*)$/s;

/** Whether a word is a field or a JSON object, not a value alone. */
export const isField = (word: string): boolean => pair.test(word) || word.startsWith("{");

/**
 * The input of an operation from words: JSON objects, `name=text` and `name:=json`, together in any order.
 *
 * @example
 * inputOf(["status=open", "limit:=2"]) // { status: "open", limit: 2 }
 */
export function inputOf(words: readonly string[]): Record<string, unknown> {
  const input = new Map<string, unknown>();
  for (const word of words) {
    const [, name, sign, text = ""] = pair.exec(word) ?? [];
    const added =
      name === undefined ? objectOf(word) : { [name]: sign === "=" ? text : jsonOf(text, `The value of ${name}`) };
    for (const [key, value] of Object.entries(added)) {
      if (input.has(key)) throw new WrongUsage(`${key} is given twice`);
      input.set(key, value);
    }
  }
  return Object.fromEntries(input);
}

/** Filters from words of the form `name=text`, with one of these names. */
export function filterOf<const Name extends string>(
  words: readonly string[],
  names: readonly Name[],
): { [Key in Name]?: string } {
  const filter: { [Key in Name]?: string } = {};
  for (const word of words) {
    const [, sent, sign, text] = pair.exec(word) ?? [];
    const name = names.find((one) => one === sent);
    if (sent === undefined || sign !== "=")
      throw new WrongUsage(`Unknown filter ${word}. Filters: ${names.map((one) => `${one}=…`).join(", ")}`);
    if (name === undefined) {
      const [near] = nearest(sent, names);
      throw new WrongUsage(`${sent}: unknown; ${near ? `did you mean ${near}?` : `the names are ${names.join(", ")}`}`);
    }
    if (filter[name] !== undefined) throw new WrongUsage(`${name} is given twice`);
    filter[name] = text;
  }
  return filter;
}
