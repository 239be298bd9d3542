import { allOperations } from "../operations/index";
import { exampleSources } from "./example-sources";
import { summary, topics } from "./introduction";
import { inWords, openApiDocument } from "./openapi";
import { routeOf } from "./rest/route";
import { type Schema, typeInWords } from "./schema-words";
import { toolNameOf, toolOperations } from "./tools";

type Named = (typeof allOperations)[number];

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };

type Content = { content?: { "application/json"?: { schema: Schema }; "text/event-stream"?: { schema: Schema } } };

type Documented = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content> };

const document = openApiDocument();
const paths = document.paths as Record<string, Record<string, Documented>>;
const types = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>);

const toolNames = new Set(toolOperations.map(({ name }) => name));

/** A text as a shell takes it, whatever is in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request of an operation's example; a part that is found elsewhere is the shell's variable of its name. */
function requestOf({ name, operation }: Named, baseUrl: string): string {
  const { method, path, otherParameters } = routeOf(operation);
  const found = exampleSources[name]?.parameter;
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    parameter === found ? `$${parameter}` : encodeURIComponent(String(operation.example[parameter])),
  );
  const others = Object.entries(operation.example).filter(([parameter]) => otherParameters.has(parameter));
  const query =
    method === "GET" && others.length > 0
      ? `?${others.map(([parameter, value]) => `${parameter}=${encodeURIComponent(String(value))}`).join("&")}`
      : "";
  const address = `${baseUrl}${filled}${query}`;
  const isStream = operation.kind === "subscription";
  return [
    "curl -s",
    // A stream does not end by itself.
    ...(isStream ? ["-N --max-time 2"] : []),
    ...(method === "PUT" ? ["-X PUT"] : []),
    found ? `"${address}"` : quoted(address),
    ...(method !== "GET" && otherParameters.size > 0
      ? [`-H 'content-type: application/json' -d ${quoted(JSON.stringify(Object.fromEntries(others)))}`]
      : []),
    ...(method === "POST" && otherParameters.size === 0 ? ["-d ''"] : []),
    ...(isStream ? ["| grep '^data: '"] : []),
  ].join(" ");
}

/** Shell lines that ask what an operation's example asks, on the sample chain, as they stand. */
function exampleOf(named: Named, baseUrl: string): string {
  const found = exampleSources[named.name];
  const source = allOperations.find(({ name }) => name === found?.source.operation);
  if (!found || !source) return requestOf(named, baseUrl);
  const {
    parameter,
    source: { key },
  } = found;
  return [
    `${parameter}=$(${requestOf(source, baseUrl)} | sed 's/.*"${key}":"\\([^"]*\\)".*/\\1/')`,
    requestOf(named, baseUrl),
  ].join("\n");
}

const sentence = (text: string | undefined) => (text ? ` ${text.replace(/([^.])$/, "$1.")}` : "");

const parameterLine = ({ name, in: place, required, schema }: Parameter) => {
  const fallback = schema.default === undefined ? "" : `, ${JSON.stringify(schema.default)} if absent`;
  return `- \`${name}\` (${place}, ${required ? "required" : "optional"}): ${typeInWords(schema)}${fallback}.${sentence(schema.description)}`;
};

/** What a request carries, wherever it carries it. */
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

/** By what other names an operation is called. */
function alsoAs({ name, operation }: Named): string {
  if ("paid" in operation && operation.paid) return "Paid for with x402, and over REST alone.";
  const tool = toolNames.has(name) ? `, MCP tool \`${toolNameOf(name)}\`` : "";
  return `tRPC \`${name}\`${tool}.${operation.development ? " For development: 403 elsewhere." : ""}`;
}

/** The response of an operation, in words. */
function responseOf({ operation }: Named, { content }: Content): string {
  if (operation.document) return "the exact text of the document";
  const stream = content?.["text/event-stream"]?.schema;
  return stream
    ? `\`text/event-stream\`, whose messages are ${typeInWords(stream)}`
    : typeInWords(content?.["application/json"]?.schema ?? {});
}

function routeSection(named: Named, baseUrl: string): string {
  const { operation } = named;
  const { method, path } = routeOf(operation);
  const documented = paths[path]?.[method.toLowerCase()];
  if (!documented) throw new Error(`${operation.route} is not documented`);
  const statuses = Object.entries(documented.responses);
  const [success, response = {}] = statuses.find(([status]) => status.startsWith("2")) ?? [];
  const errors = statuses.map(([status]) => status).filter((status) => Number(status) >= 400);
  const parameters = parametersOf(documented).map(parameterLine);
  return [
    `### ${operation.route}`,
    `${operation.summary} ${alsoAs(named)}`,
    ...(parameters.length > 0 ? [parameters.join("\n")] : []),
    `Answers ${success} with ${responseOf(named, response)}. Errors: ${errors.join(", ")}.`,
    `\`\`\`sh\n${exampleOf(named, baseUrl)}\n\`\`\``,
  ].join("\n\n");
}

const typeSection = ([name, { description, properties = {}, required = [] }]: [string, Schema]) =>
  [
    `### ${name}`,
    ...(description ? [description] : []),
    Object.entries(properties)
      .map(([field, schema]) => {
        const optional = required.includes(field) ? "" : " (may be absent)";
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

/** Where else the service can be asked, each with what it is. */
const entrances = (baseUrl: string) => [
  `- [REST](${baseUrl}/openapi.json): every route, as an OpenAPI document`,
  `- [Reference](${baseUrl}/docs): the same for people, in a browser`,
  `- [MCP](${baseUrl}/mcp): the same operations as tools, over streamable HTTP (POST)`,
  `- [tRPC](${baseUrl}/trpc): the same operations for typed clients, such as \`intentry/client\``,
  ...(allOperations.some(isPaid)
    ? [`- [x402](${baseUrl}/.well-known/x402.json): what is paid for, and on what terms`]
    : []),
];

/** Paragraphs, with an empty line between them. */
const markdown = (...paragraphs: string[]) => `${paragraphs.join("\n\n")}\n`;

/** The index for language models, in the form of llms.txt: what this is, what holds for all of it, and where the rest is. */
export const llmsIndex = (baseUrl: string): string =>
  markdown(
    "# Intentry",
    `> ${summary}`,
    `It is asked over HTTP at ${baseUrl}. Reading is free and needs no key, but for what says that it is paid for.`,
    Object.entries(topics)
      .map(([subject, text]) => `- **${subject}.** ${text}`)
      .join("\n"),
    "## Documentation",
    [
      `- [All routes](${baseUrl}/llms-full.txt): parameters, answers, errors and an example of each`,
      ...entrances(baseUrl),
    ].join("\n"),
    "## Routes",
    groups()
      .map(([resource, all]) => {
        const routes = all.map(({ operation }) => `\`${operation.route}\``).join(", ");
        return `- [${inWords(resource)}](${baseUrl}/llms-full.txt#${inWords(resource).toLowerCase().replaceAll(" ", "-")}): ${routes}`;
      })
      .join("\n"),
  );

/** Everything about every route, with an example that works on the sample chain of `npm start`. */
export const llmsFull = (baseUrl: string): string =>
  markdown(
    "# Intentry: all routes",
    `> ${summary}`,
    `It is asked over HTTP at ${baseUrl}. The examples are answered by the local stack with its sample activity; elsewhere, put in ids and addresses that are there.`,
    ...Object.entries(topics).map(([subject, text]) => `## ${subject}\n\n${text}`),
    "## Other ways to ask",
    entrances(baseUrl).join("\n"),
    ...groups().flatMap(([resource, all]) => [
      `## ${inWords(resource)}`,
      ...all.map((named) => routeSection(named, baseUrl)),
    ]),
    "## Types",
    ...types.map(typeSection),
  );
