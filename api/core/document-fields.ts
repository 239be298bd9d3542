import { isJsonObject } from "./inputs";
import type { z } from "./operation";

type Fields = Record<string, z.ZodType>;

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

type Options = {
  /** Whether to look also in `quote`, for names in snake_case and camelCase. */
  insideQuote?: boolean;
  /** Other names of top-level fields. */
  synonyms?: Readonly<Record<string, string>>;
};

/**
 * Extracts known fields from a document. Ignores invalid values: documents have no fixed shape, and only the explicit
 * parameters are validated.
 *
 * @example
 * fieldsInDocument('{"quote":{"merchantId":"7"}}', { merchant_id: id }, { insideQuote: true }) // { merchant_id: 7n }
 */
export function fieldsInDocument(
  text: string,
  fields: Fields,
  { insideQuote = false, synonyms = {} }: Options = {},
): Record<string, unknown> {
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) return {};
  const quote = insideQuote && Object.hasOwn(parsed, "quote") ? parsed.quote : undefined;
  const locations: [unknown, (name: string) => string][] = [
    [parsed, (name) => name],
    [parsed, (name) => synonyms[name] ?? name],
    [quote, (name) => name],
    [quote, camelCase],
  ];
  const found: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(fields))
    for (const [location, keyOf] of locations) {
      const key = keyOf(name);
      if (!isJsonObject(location) || !Object.hasOwn(location, key)) continue;
      const value = type.safeParse(location[key]);
      if (!value.success) continue;
      found[name] = value.data;
      break;
    }
  return found;
}
