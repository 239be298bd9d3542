import type { Schema } from "../json-schema-text";
import { parameterDescriptions } from "./parameters";
import { recordDescriptions } from "./records";
import { serviceDescriptions } from "./service";

const fieldDescriptions: Readonly<Record<string, string>> = { ...recordDescriptions, ...serviceDescriptions };

/** Descriptions of types. A description of the field itself says more. */
const ofTypes = new Set(["Unix seconds.", "As stored on chain.", "A decimal number with at most 6 fraction digits."]);

/** The parts of the OpenAPI document with schemas. */
export type Describable = {
  components?: { schemas?: Record<string, Schema> };
  paths?: Record<string, Record<string, DescribableOperation>>;
};

type Media = { content?: Record<string, { schema?: Schema }> };

type DescribableOperation = {
  operationId: string;
  parameters?: { name: string; description?: string; schema: Schema }[];
  requestBody?: Media;
  responses: Record<string, Media>;
};

type Found = (path: readonly string[]) => string | undefined;

/** Looks up a path from its most to its least specific name: `Bid.call.to`, `Bid.to`, `to`. */
const lookUp =
  (descriptions: Readonly<Record<string, string>>, used: Set<string>): Found =>
  (path) => {
    const name = path.at(-1) ?? "";
    const keys = [path.join("."), `${path[0]}.${name}`, name];
    const key = keys.find((one) => Object.hasOwn(descriptions, one));
    if (key !== undefined) used.add(key);
    return key === undefined ? undefined : descriptions[key];
  };

/** Describes the properties of a schema, at any depth. */
function describeSchema(schema: Schema, path: readonly string[], find: Found): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const own = [...path, name];
    if (property.description === undefined || ofTypes.has(property.description)) {
      const description = find(own);
      if (description !== undefined) property.description = description;
    }
    describeSchema(property, own, find);
  }
  for (const part of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    if (typeof part === "object") describeSchema(part, path, find);
}

/**
 * Adds descriptions to the fields and parameters of a document that have none. Returns the names of the descriptions that
 * were used.
 */
export function describeDocument({ components, paths }: Describable): Set<string> {
  const used = new Set<string>();
  const field = lookUp(fieldDescriptions, used);
  const parameter = lookUp(parameterDescriptions, used);
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) describeSchema(schema, [name], field);
  for (const operation of Object.values(paths ?? {}).flatMap((methods) => Object.values(methods))) {
    for (const one of operation.parameters ?? []) {
      const description = one.description ?? one.schema.description;
      if (description === undefined || ofTypes.has(description)) {
        const found = parameter([operation.operationId, one.name]);
        if (found !== undefined) one.schema.description = found;
      }
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
      if (schema) describeSchema(schema, [operation.operationId], parameter);
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      for (const { schema } of Object.values(content))
        if (schema) describeSchema(schema, [`${operation.operationId}/${status}`], field);
  }
  return used;
}
