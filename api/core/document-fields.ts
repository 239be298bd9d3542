import type { z } from "./operation";

type Fields = Record<string, z.ZodType>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Extracts known fields from a document: top-level keys and, with `insideQuote`, keys of `quote` in snake_case or
 * camelCase. Ignores invalid values: documents have no fixed schema, and only the explicit parameters are validated.
 *
 * @example
 * fieldsInDocument('{"quote":{"merchantId":"7"}}', { merchant_id: id }, true) // { merchant_id: 7n }
 */
export function fieldsInDocument(text: string, fields: Fields, insideQuote: boolean): Record<string, unknown> {
  const parsed: unknown = JSON.parse(text);
  if (!isObject(parsed)) return {};
  const quote = insideQuote && Object.hasOwn(parsed, "quote") ? parsed.quote : undefined;
  const locations: [unknown, (name: string) => string][] = [
    [parsed, (name) => name],
    [quote, (name) => name],
    [quote, camelCase],
  ];
  const found: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(fields))
    for (const [location, keyOf] of locations) {
      const key = keyOf(name);
      if (!isObject(location) || !Object.hasOwn(location, key)) continue;
      const value = type.safeParse(location[key]);
      if (!value.success) continue;
      found[name] = value.data;
      break;
    }
  return found;
}
