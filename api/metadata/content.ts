import { INVISIBLE_IN_PROSE } from "../../common/text";
import { isDeeperThan, isJsonObject } from "../core/inputs";
import { Unresolved } from "./unresolved";

/** The maximum size of metadata, as of a published document. */
export const MAX_CONTENT_BYTES = 128 * 1024;

const MAX_DEPTH = 32;
const MAX_NAME = 160;
const MAX_DESCRIPTION = 2_000;
const MAX_TERMS = 32;
const MAX_TERM = 64;

/** The content of metadata: the whole object, and the parts that are searched and shown. */
export type Content = {
  /** The object as JSON text that PostgreSQL can store. */
  content: string;
  name: string | null;
  description: string | null;
  tags: string[];
  capabilities: string[];
};

/**
 * Serializes a value with U+FFFD for NUL, which PostgreSQL can't store, and for unpaired surrogates, which are not Unicode.
 * JSON.stringify writes both as escapes, also in keys. The first alternative skips escaped backslashes.
 */
const storableJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (found) =>
    found === "\\\\" ? found : "\ufffd",
  );

/** Half of a surrogate pair. */
const SURROGATE = /\p{Surrogate}/gu;

/** A text on one line, or null. */
function shownText(value: unknown, maxCharacters: number): string | null {
  if (typeof value !== "string") return null;
  const text = value
    .replace(SURROGATE, "\ufffd")
    .replace(INVISIBLE_IN_PROSE, " ")
    .replace(/[\t\n\r]+/g, " ")
    .trim();
  if (text === "") return null;
  // A character has at most two code units. The cut may leave half of one.
  return [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join("").replace(SURROGATE, "\ufffd");
}

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The texts of an array, or the names of its objects. */
const termsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap(
    (item: unknown) => shownText(memberOf(item, "name") ?? item, MAX_TERM) ?? [],
  );

const distinct = (terms: readonly string[]) => [...new Set(terms)].slice(0, MAX_TERMS);

/**
 * Parses metadata. Names are those of ERC-8004 registration files and agent cards: `name`, `description`, `tags` or
 * `keywords`, `capabilities` or `skills`. Throws {@link Unresolved} unless it is a JSON object within the bounds.
 */
export function parseContent(bytes: Uint8Array): Content {
  if (bytes.length > MAX_CONTENT_BYTES) throw new Unresolved(`The content has more than ${MAX_CONTENT_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Unresolved("The content is not JSON", { cause });
  }
  if (!isJsonObject(value)) throw new Unresolved("The content is not a JSON object");
  if (isDeeperThan(MAX_DEPTH, value)) throw new Unresolved(`The content is nested deeper than ${MAX_DEPTH} levels`);
  const skills = memberOf(value, "skills");
  return {
    content: storableJson(value),
    name: shownText(memberOf(value, "name"), MAX_NAME),
    description: shownText(memberOf(value, "description"), MAX_DESCRIPTION),
    tags: distinct([
      ...termsOf(memberOf(value, "tags")),
      ...termsOf(memberOf(value, "keywords")),
      ...(Array.isArray(skills) ? skills : []).flatMap((skill: unknown) => termsOf(memberOf(skill, "tags"))),
    ]),
    capabilities: distinct([...termsOf(memberOf(value, "capabilities")), ...termsOf(skills)]),
  };
}
