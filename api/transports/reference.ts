import { VERSION } from "../../config/version";
import type { Reference, ReferenceField, ReferenceOperation, ReferenceType } from "../../explorer/reference/reference";
import { allOperations, operations } from "../operations/index";
import { tagDescriptions } from "./descriptions/tags";
import { exampleSources } from "./example-sources";
import { responseExamples } from "./examples";
import { summary, topics } from "./introduction";
import { type Schema, typeInWords } from "./json-schema-text";
import { inWords, openApiDocument } from "./openapi";
import { recipeSamples } from "./recipes";
import { routeOf } from "./rest/route";
import { clientCallOf, commandOf, curlOf, examplePathOf, type NamedOperation } from "./samples";

type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
  description?: string;
};

type Content = { content?: Record<string, { schema: Schema; example?: unknown }> };

type Documented = {
  description: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { description: string }>;
};

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** The values that a field accepts, if they are few. */
function choicesOf(schema: Schema): readonly string[] {
  if (schema.enum) return schema.enum.map(String);
  return [schema.type].flat().includes("boolean") ? ["true", "false"] : [];
}

/** Where the value of a field is read, if it differs between chains. */
function sourceOf({ name }: NamedOperation, field: string): ReferenceField["source"] {
  const { parameter, source } = exampleSources[name] ?? {};
  const operation = allOperations.find((other) => other.name === source?.operation);
  return parameter === field && source && operation ? { path: examplePathOf(operation), key: source.key } : undefined;
}

function fieldsOf(named: NamedOperation, { parameters = [], requestBody }: Documented): ReferenceField[] {
  const { properties = {}, required = [] } = requestBody?.content?.["application/json"]?.schema ?? {};
  const { example } = named.operation;
  const inBody = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "body" as const,
    required: required.includes(name),
    schema,
    description: schema.description,
  }));
  return [...parameters, ...inBody].map(({ name, in: place, required = false, schema, description }) => ({
    name,
    place,
    isRequired: required,
    type: typeInWords(schema),
    description: description ?? schema.description ?? "",
    value: example[name] === undefined ? "" : String(example[name]),
    choices: choicesOf(schema),
    source: sourceOf(named, name),
  }));
}

const responsesOf = ({ responses }: Documented): ReferenceOperation["responses"] =>
  Object.entries(responses).map(([status, { description, content }]) => {
    const [body] = Object.values(content ?? {});
    return { status, description, type: body && typeInWords(body.schema) };
  });

function operationOf(named: NamedOperation, baseUrl: string): ReferenceOperation {
  const { name, operation } = named;
  const { method, path } = routeOf(operation);
  const paths = openApiDocument().paths as Record<string, Record<string, Documented>>;
  const documented = paths[path]?.[method.toLowerCase()];
  if (!documented) throw new Error(`${operation.route} is not documented`);
  const body = documented.requestBody?.content?.["application/json"]?.example;
  const response = responseExamples[name];
  const samples = [
    { label: "curl", code: curlOf(named, baseUrl) },
    { label: "TypeScript", code: clientCallOf(named, baseUrl) },
    { label: "Command line", code: commandOf(named) },
  ];
  return {
    name,
    method,
    path,
    title: operation.summary,
    description: documented.description.replace(/ A stream begins like this:.*$/s, ""),
    fields: fieldsOf(named, documented),
    body: body === undefined ? undefined : pretty(body),
    samples: samples.flatMap(({ label, code }) => (code === undefined ? [] : [{ label, code }])),
    responses: responsesOf(documented),
    response:
      operation.kind === "subscription"
        ? operation.streamExample
        : response === undefined
          ? undefined
          : pretty(response),
    canTry: !operation.writes,
    isPaid: operation.paid === true,
  };
}

const typeOf = ([name, { description = "", properties = {}, required = [] }]: [string, Schema]): ReferenceType => ({
  name,
  description,
  fields: Object.entries(properties).map(([field, schema]) => ({
    name: field,
    isRequired: required.includes(field),
    type: typeInWords(schema),
    description: schema.description ?? "",
  })),
});

/** The content of the reference page, with examples for a base URL. */
export const referenceOf = (baseUrl: string): Reference => ({
  version: VERSION,
  summary,
  topics: Object.entries(topics).map(([title, text]) => ({ title, text })),
  recipes: recipeSamples(baseUrl),
  groups: Object.keys(operations).map((resource) => ({
    title: inWords(resource),
    description: tagDescriptions[resource] ?? "",
    operations: allOperations
      .filter((named) => named.resource === resource)
      .map((named) => operationOf(named, baseUrl)),
  })),
  types: Object.entries((openApiDocument().components?.schemas ?? {}) as Record<string, Schema>).map(typeOf),
});
