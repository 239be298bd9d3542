import { type Schema, typeInWords } from "./json-schema-text";

/** Parameters of lists. The server's instructions explain them once for all tools. */
const paging: Readonly<Record<string, Schema>> = {
  limit: { type: "integer" },
  offset: { type: "integer" },
  cursor: { type: "string" },
  total: { type: "boolean" },
  from: { type: "string", description: "unix seconds" },
  to: { type: "string" },
};

/** Types in words that the name of a parameter already tells. */
const obvious = new Set(["text", "integer", "boolean", "whole number in decimal digits, up to 2^256 - 1"]);

/** The text of a parameter: its type if a pattern defines it, and its description. */
function textOf({ description, ...schema }: Schema): string | undefined {
  const isPattern = schema.type === "string" && schema.pattern !== undefined && !schema.enum;
  const words = isPattern ? typeInWords(schema) : "";
  const type = obvious.has(words) || words.startsWith("text that matches") ? "" : words;
  const text = [type, description?.replace(/\.$/, "")].filter(Boolean).join(". ");
  return text === "" ? undefined : text;
}

/** The choices without those that differ from another one by uppercase only. */
const withoutUppercase = (choices: readonly unknown[]) =>
  choices.filter(
    (choice) =>
      typeof choice !== "string" || choice === choice.toLowerCase() || !choices.includes(choice.toLowerCase()),
  );

/**
 * A shorter form of an input schema, for language models. It has the names, types and choices of all parameters. Patterns
 * and limits are left out: the service checks them, and names the parameter that is wrong.
 *
 * @example
 * shortSchema({ type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }) // { type: "string", description: "address" }
 */
export function shortSchema(schema: Schema): Schema {
  const { type, enum: choices, properties, required, items, anyOf, additionalProperties } = schema;
  const description = textOf(schema);
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(choices && { enum: withoutUppercase(choices) }),
    ...(properties && { properties: shortProperties(properties) }),
    ...(required && required.length > 0 && { required }),
    ...(items && { items: shortSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(shortSchema) }),
    ...(additionalProperties === false && { additionalProperties }),
  };
}

const shortProperties = (properties: Record<string, Schema>) => {
  const isPaged = "offset" in properties || "cursor" in properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      (isPaged ? paging[name] : undefined) ?? shortSchema(schema),
    ]),
  );
};
