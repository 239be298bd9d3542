import { textOf } from "../core/operation";
import { allOperations } from "../operations/index";
import { summary, topics } from "./introduction";
import { type Schema, typeInWords } from "./json-schema-text";
import { inWords, openApiDocument } from "./openapi";
import { recipes } from "./recipes";
import { routeOf } from "./rest/route";
import { curlOf } from "./samples";
import { toolCalls } from "./tools";

type Named = (typeof allOperations)[number];

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };

type Content = { content?: { "application/json"?: { schema: Schema }; "text/event-stream"?: { schema: Schema } } };

type Documented = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content> };

const pathsOf = () => openApiDocument().paths as Record<string, Record<string, Documented>>;
const typesOf = () => Object.entries((openApiDocument().components?.schemas ?? {}) as Record<string, Schema>);

const sentence = (text: string | undefined) => (text ? ` ${text.replace(/([^.])$/, "$1.")}` : "");

const parameterLine = ({ name, in: place, required, schema }: Parameter) => {
  const fallback = schema.default === undefined ? "" : `, default ${JSON.stringify(schema.default)}`;
  return `- \`${name}\` (${place}, ${required ? "required" : "optional"}): ${typeInWords(schema)}${fallback}.${sentence(schema.description)}`;
};

/** All parameters of a request: path, query, headers and body. */
function parametersOf({ parameters = [], requestBody }: Documented): Parameter[] {
  const { properties = {}, required = [] } = requestBody?.content?.["application/json"]?.schema ?? {};
  return [
    ...parameters,
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: "body",
      required: required.includes(name),
      schema,
    })),
  ];
}

/** The tool of an operation, and how a call of it chooses the operation. */
function toolName(name: string): string {
  const { tool, group, value } = toolCalls.get(name) ?? {};
  if (!tool) return "";
  return `, MCP tool \`${tool.name}\`${group ? ` with \`${group.choice}\` \`${value}\`` : ""}`;
}

/** The names of an operation in other transports. */
function otherNames({ name, operation }: Named): string {
  if ("paid" in operation && operation.paid) return "Requires an x402 payment. REST only.";
  return `tRPC \`${name}\`${toolName(name)}.${operation.development ? " For development only: returns 403 if the development helpers are disabled." : ""}`;
}

/** Describes the response of an operation. */
function responseOf({ operation }: Named, { content }: Content): string {
  if (operation.document) return "the exact text of the document";
  const stream = content?.["text/event-stream"]?.schema;
  return stream
    ? `\`text/event-stream\`, with messages of type ${typeInWords(stream)}`
    : typeInWords(content?.["application/json"]?.schema ?? {});
}

function routeSection(named: Named, baseUrl: string): string {
  const { operation } = named;
  const { method, path } = routeOf(operation);
  const documented = pathsOf()[path]?.[method.toLowerCase()];
  if (!documented) throw new Error(`${operation.route} is not documented`);
  const statuses = Object.entries(documented.responses);
  const [success, response = {}] = statuses.find(([status]) => status.startsWith("2")) ?? [];
  const errors = statuses.map(([status]) => status).filter((status) => Number(status) >= 400);
  const parameters = parametersOf(documented).map(parameterLine);
  return [
    `### ${operation.route}`,
    `${textOf(operation)} ${otherNames(named)}`,
    ...(parameters.length > 0 ? [parameters.join("\n")] : []),
    `Returns ${success} with ${responseOf(named, response)}. Errors: ${errors.join(", ")}.`,
    `\`\`\`sh\n${curlOf(named, baseUrl)}\n\`\`\``,
  ].join("\n\n");
}

const typeSection = ([name, { description, properties = {}, required = [] }]: [string, Schema]) =>
  [
    `### ${name}`,
    ...(description ? [description] : []),
    Object.entries(properties)
      .map(([field, schema]) => {
        const optional = required.includes(field) ? "" : " (optional)";
        return `- \`${field}\`${optional}: ${typeInWords(schema)}.${sentence(schema.description)}`;
      })
      .join("\n"),
  ].join("\n\n");

/** The operations by resource, in their order. */
const groups = () => {
  const found = new Map<string, Named[]>();
  for (const named of allOperations) found.set(named.resource, [...(found.get(named.resource) ?? []), named]);
  return [...found];
};

const isPaid = ({ operation }: Named) => "paid" in operation && operation.paid === true;

/** Links to the service's interfaces. */
const interfaces = (baseUrl: string) => [
  `- [REST](${baseUrl}/openapi.json): every route, as an OpenAPI document`,
  `- [Reference](${baseUrl}/docs): an interactive reference for browsers`,
  `- [MCP](${baseUrl}/mcp): the operations as tools, over streamable HTTP (POST)`,
  `- [tRPC](${baseUrl}/trpc): the operations for typed clients, such as the package \`intentry\``,
  ...(allOperations.some(isPaid)
    ? [`- [x402](${baseUrl}/.well-known/x402.json): the paid routes and their payment terms`]
    : []),
];

/** Paragraphs, with an empty line between them. */
const markdown = (...paragraphs: string[]) => `${paragraphs.join("\n\n")}\n`;

/** The llms.txt index for language models: summary, conventions and links. */
export const llmsIndex = (baseUrl: string): string =>
  markdown(
    "# Intentry",
    `> ${summary}`,
    `The base URL is ${baseUrl}. Reads need no API key and are free, except paid routes.`,
    Object.entries(topics)
      .map(([topic, text]) => `- **${topic}.** ${text}`)
      .join("\n"),
    ...recipes(baseUrl),
    "## Documentation",
    [
      `- [All routes](${baseUrl}/llms-full.txt): parameters, responses, errors and an example of each`,
      ...interfaces(baseUrl),
    ].join("\n"),
    "## Routes",
    groups()
      .map(([resource, all]) => {
        const routes = all.map(({ operation }) => `\`${operation.route}\``).join(", ");
        return `- [${inWords(resource)}](${baseUrl}/llms-full.txt#${inWords(resource).toLowerCase().replaceAll(" ", "-")}): ${routes}`;
      })
      .join("\n"),
  );

/** The full documentation of all routes, with examples that work on the sample chain of `npm start`. */
export const llmsFull = (baseUrl: string): string =>
  markdown(
    "# Intentry: all routes",
    `> ${summary}`,
    `The base URL is ${baseUrl}. The examples work on a local stack with its sample activity. On other deployments, replace the ids and addresses with existing ones.`,
    ...Object.entries(topics).map(([topic, text]) => `## ${topic}\n\n${text}`),
    "## Interfaces",
    interfaces(baseUrl).join("\n"),
    ...groups().flatMap(([resource, all]) => [
      `## ${inWords(resource)}`,
      ...all.map((named) => routeSection(named, baseUrl)),
    ]),
    "## Types",
    ...typesOf().map(typeSection),
  );
