import type { z } from "./operation";

type Fields = Record<string, z.ZodType>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The fields that a document itself carries, as top-level keys and, if asked for, inside `quote`; there also in camelCase.
 * A bad value is no value: the document is anyone's, and only what is sent beside it is answered for.
 *
 * @example
 * fieldsInDocument('{"quote":{"merchantId":"7"}}', { merchant_id: id }, true) // { merchant_id: 7n }
 */
export function fieldsInDocument(text: string, fields: Fields, insideQuote: boolean): Record<string, unknown> {
  const parsed: unknown = JSON.parse(text);
  if (!isObject(parsed)) return {};
  const quote = insideQuote && Object.hasOwn(parsed, "quote") ? parsed.quote : undefined;
  const places: [unknown, (name: string) => string][] = [
    [parsed, (name) => name],
    [quote, (name) => name],
    [quote, camelCase],
  ];
  const found: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(fields))
    for (const [place, keyOf] of places) {
      const key = keyOf(name);
      if (!isObject(place) || !Object.hasOwn(place, key)) continue;
      const value = type.safeParse(place[key]);
      if (!value.success) continue;
      found[name] = value.data;
      break;
    }
  return found;
}
