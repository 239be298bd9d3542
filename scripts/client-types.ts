import type { Abi } from "viem";
import { AMOUNT_PATTERN } from "../api/actions/terms";
import { ID_PATTERN, UINT_OR_HEX_PATTERN } from "../api/core/inputs";
import { textOf } from "../api/core/operation";
import { eventNames } from "../api/events/protocol-events";
import { subscribeToEvents } from "../api/operations/events";
import { freeCalls } from "../api/operations/index";
import { openApiDocument } from "../api/transports/openapi";
import { routeOf } from "../api/transports/rest/route";
import { contractNames, protocolAbis } from "../config/contracts";

/** The subset of JSON Schema that the operations use. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: (string | number)[];
  pattern?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
};

type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: JsonSchema };

export type DocumentedOperation = {
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: JsonSchema } } };
  responses: Record<string, { content?: { "application/json"?: { schema: JsonSchema } } }>;
};

/** The fields that have the name of an event. */
const eventFields = ["event", "eventName"];

/** Output types are exact. Input types also accept numbers and bigints where REST has decimal digits. */
type Direction = "in" | "out";

const comment = (text: string | undefined) => (text ? `/** ${text.replace(/\*\//g, "* /")} */\n` : "");

const union = (types: readonly string[]) => [...new Set(types)].join(" | ");

const names = (schema: JsonSchema) => (Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []);

const isNullable = (schema: JsonSchema) => names(schema).includes("null");

/** The patterns of inputs that may be numbers, too. */
const numeric: readonly (string | undefined)[] = [ID_PATTERN, UINT_OR_HEX_PATTERN, AMOUNT_PATTERN];

function textType({ pattern }: JsonSchema, direction: Direction): string {
  if (direction === "in") return numeric.includes(pattern) ? "Uint" : "string";
  return pattern?.startsWith("^0x") ? "Hex" : "string";
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, direction: Direction): string {
  if (!properties)
    return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties, direction) : "unknown"}>`;
  if (Object.keys(properties).length === 0) return "Record<string, never>";
  // An object with a name and arguments of an event is a union, which the name narrows. A name that can be null is that of
  // any contract's event.
  const event =
    "args" in properties ? eventFields.find((name) => properties[name] && !isNullable(properties[name])) : undefined;
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? "" : "?";
    const narrowed = event && { [event]: "Name", args: "EventArguments[Name]" }[name];
    return `${comment(schema.description)}${name}${optional}: ${narrowed ?? typeOf(schema, direction)};`;
  });
  const object = `{\n${members.join("\n")}\n}`;
  return event ? `{ [Name in EventName]: ${object} }[EventName]` : object;
}

function typeOf(schema: JsonSchema, direction: Direction): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, direction)).join(" & ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return union(options.map((option) => typeOf(option, direction)));
  if (schema.enum) {
    const literals = schema.enum.map((value) => JSON.stringify(value));
    return union(isNullable(schema) ? [...literals, "null"] : literals);
  }
  const types = names(schema).map((name) => {
    switch (name) {
      case "string":
        return textType(schema, direction);
      case "integer":
      case "number":
        return "number";
      case "array":
        return `readonly (${typeOf(schema.items ?? {}, direction)})[]`;
      case "object":
        return objectType(schema, direction);
      default:
        return name;
    }
  });
  return types.length > 0 ? union(types) : "unknown";
}

/** The input object of an operation: its path, query, header and body parameters. */
export function inputSchema(
  { parameters = [], requestBody }: DocumentedOperation,
  headers: Readonly<Record<string, string>>,
): { properties: Record<string, JsonSchema>; required: string[] } {
  const body = requestBody?.content["application/json"].schema;
  const properties = {
    ...Object.fromEntries(parameters.map(({ name, schema }) => [headers[name] ?? name, schema])),
    ...body?.properties,
  };
  const required = [
    ...parameters.filter((parameter) => parameter.required).map(({ name }) => headers[name] ?? name),
    ...(body?.required ?? []),
  ];
  return { properties, required };
}

const inputType = (documented: DocumentedOperation, headers: Readonly<Record<string, string>>) =>
  objectType(inputSchema(documented, headers), "in");

/** The type of an event's argument, as the event log encodes it (src/lib/event-log.ts). */
function argumentType(type: string): string {
  if (type === "string") return "string";
  if (type === "bool") return "boolean";
  const bits = /^u?int(\d+)$/.exec(type)?.[1];
  return bits === undefined ? "Hex" : Number(bits) > 48 ? "string" : "number";
}

/** The arguments of every protocol event, from the ABIs. */
function eventArguments(): string {
  const members = contractNames.flatMap((contract) =>
    (protocolAbis[contract] as Abi)
      .filter((item) => item.type === "event")
      .filter(({ name }) => eventNames.some((one) => one === name))
      .map(({ name, inputs }) => {
        const fields = inputs.map((input) => `${input.name}: ${argumentType(input.type)};`);
        return `/** Emitted by ${contract}. */\n${name}: {\n${fields.join("\n")}\n};`;
      }),
  );
  return `{\n${members.join("\n")}\n}`;
}

/** The names of the schemas that a part of the document refers to. */
const refsIn = (part: unknown): string[] =>
  [...JSON.stringify(part ?? null).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");

/** The most uses that a comment names. */
const MAX_USES = 3;

/** A comment on a type without a description: where it is used. */
function useOf(type: string, operations: ReadonlyMap<string, unknown>, schemas: Record<string, JsonSchema>): string {
  const using = (parts: Iterable<[string, unknown]>) =>
    [...parts].filter(([, part]) => refsIn(part).includes(type)).map(([name]) => name);
  const list = (names: readonly string[]) =>
    `${names.slice(0, MAX_USES).join(", ")}${names.length > MAX_USES ? " and others" : ""}.`;
  const returnedBy = using(operations).map((name) => `\`${name}\``);
  if (returnedBy.length > 0) return `Returned by ${list(returnedBy)}`;
  const partOf = using(Object.entries(schemas)).map((name) => `{@link ${name}}`);
  return partOf.length > 0 ? `Part of ${list(partOf)}` : "";
}

/** Generates the types of the client from the OpenAPI document. */
export function clientTypes(): string {
  const document = openApiDocument();
  const paths = document.paths as Record<string, Record<string, DocumentedOperation>>;
  const named = (document.components?.schemas ?? {}) as Record<string, JsonSchema>;
  const returned = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId, responses }) => [operationId, [responses[200], responses[201], responses[402]]]),
  );
  const schemas = Object.entries(named)
    .filter(([name]) => name !== "Error")
    .map(([name, schema]) => {
      const description = schema.description ?? useOf(name, returned, named);
      return `${comment(description)}export type ${name} = ${typeOf(schema, "out")};`;
    });
  const resources = new Map<string, string[]>();
  for (const { resource, name, operation } of freeCalls) {
    const { method, path, headers } = routeOf(operation);
    const documented = paths[path]?.[method.toLowerCase()];
    const response = documented?.responses[200] ?? documented?.responses[201];
    if (!documented || !response) throw new Error(`${name} is not documented`);
    const output = operation.document ? "string" : typeOf(response.content?.["application/json"]?.schema ?? {}, "out");
    const kind = operation.writes ? "Mutation" : "Query";
    const member = `${comment(textOf(operation))}${name.slice(resource.length + 1)}: ${kind}<${inputType(documented, headers)}, ${output}>;`;
    resources.set(resource, [...(resources.get(resource) ?? []), member]);
  }
  const stream = paths[routeOf(subscribeToEvents).path]?.get;
  if (!stream) throw new Error(`${subscribeToEvents.route} is not documented`);
  const filter = {
    operationId: "",
    parameters: stream.parameters?.filter((parameter) => parameter.in === "query"),
    responses: {},
  };
  const api = [...resources].map(([resource, members]) => `${resource}: {\n${members.join("\n")}\n};`);
  return [
    "// Generated by `npm run generate` from api/operations. Do not edit.",
    'import type { Mutation, Query } from "./procedure";',
    `/** Bytes in hex digits: an address, a hash, calldata. */\nexport type Hex = \`0x\${string}\`;`,
    "/** A whole number from 0 to 2^256 - 1: a string of decimal digits, a number or a bigint. */\nexport type Uint = string | number | bigint;",
    ...schemas,
    `/** The decoded arguments of each protocol event, by its name. Integers of more than 48 bits are decimal strings. */\nexport type EventArguments = ${eventArguments()};`,
    "/** The name of a protocol event. */\nexport type EventName = keyof EventArguments;",
    `/** Which live events to receive, and where to start. */\nexport type EventFilter = ${inputType(filter, {})};`,
    `/** The operations of the service, by resource. */\nexport type Api = {\n${api.join("\n")}\n};`,
  ].join("\n\n");
}

/** The operations that write, which the client calls as mutations. */
export function clientMutations(): string {
  const names = freeCalls.filter(({ operation }) => operation.writes).map(({ name }) => name);
  return [
    "// Generated by `npm run generate` from api/operations. Do not edit.",
    "/** The names of the operations that write. */",
    `export const mutations: ReadonlySet<string> = /* @__PURE__ */ new Set(${JSON.stringify(names)});`,
  ].join("\n");
}
