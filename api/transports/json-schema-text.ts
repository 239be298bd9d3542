import { ID_PATTERN, UINT_OR_HEX_PATTERN } from "../core/inputs";

/** The subset of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  format?: string;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
};

const isDecimal = (pattern: string) => pattern.startsWith("^(0|[1-9]\\d*)(\\.") || pattern.startsWith("^\\d+(\\.");

/** Descriptions of strings by pattern. Patterns that also allow uppercase hex digits have the same description. */
const patterns: Readonly<Record<string, string>> = {
  "^\\d+$": "whole number in decimal digits",
  [ID_PATTERN]: "whole number in decimal digits, up to 2^256 - 1",
  [UINT_OR_HEX_PATTERN.replaceAll("A-F", "")]: "whole number in decimal digits, or 0x and hex digits",
  "^0x[0-9a-f]{40}$": "address",
  "^0x[0-9a-f]{64}$": "hash",
  "^0x[0-9a-f]{8}$": "function selector",
  "^0x([0-9a-f]{2})*$": "bytes in hex",
};

const formats: Readonly<Record<string, string>> = { "date-time": "ISO 8601 time", uri: "URL" };

function textInWords({ pattern, format, maxLength }: Schema): string {
  if (pattern !== undefined && isDecimal(pattern)) return "decimal number";
  if (pattern !== undefined) return patterns[pattern.replaceAll("A-F", "")] ?? `text that matches \`${pattern}\``;
  if (format !== undefined) return formats[format] ?? format;
  return maxLength === undefined ? "text" : `text of at most ${maxLength} characters`;
}

const objectInWords = ({ properties, required = [] }: Schema) =>
  properties
    ? `{ ${Object.entries(properties)
        .map(([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeInWords(schema)}`)
        .join("; ")} }`
    : "object";

function ofType(type: string, schema: Schema): string {
  if (type === "string") return textInWords(schema);
  if (type === "integer") return "integer";
  if (type === "array") return `list of ${typeInWords(schema.items ?? {})}`;
  return type === "object" ? objectInWords(schema) : type;
}

/**
 * Describes the type of a value in a few words.
 *
 * @example
 * typeInWords({ type: ["string", "null"], pattern: "^0x[0-9a-f]{40}$" }) // "address or null"
 */
export function typeInWords(schema: Schema): string {
  if (schema.$ref) return `\`${schema.$ref.split("/").at(-1)}\``;
  if (schema.anyOf) return schema.anyOf.map(typeInWords).join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? "anything" : types.map((type) => ofType(type, schema)).join(" or ");
}
