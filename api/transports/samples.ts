import { allOperations } from "../operations/index";
import { exampleSources } from "./example-sources";
import { routeOf } from "./rest/route";

/** An operation with its name and resource. */
export type NamedOperation = (typeof allOperations)[number];

/** Quotes a text for the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A JSON body for the shell. A variable is the value of the field with its name. */
function quotedBody(fields: readonly (readonly [string, unknown])[], variable: string | undefined): string {
  const body = Object.fromEntries(fields.map(([name, value]) => [name, name === variable ? `$${name}` : value]));
  return quoted(JSON.stringify(body)).replace(`"$${variable}"`, (reference) => `"'${reference}'"`);
}

/** The curl command of an operation's example. A value from {@link exampleSources} is a shell variable. */
function requestOf({ name, operation }: NamedOperation, baseUrl: string): string {
  const { method, path, otherParameters } = routeOf(operation);
  const variable = exampleSources[name]?.parameter;
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    parameter === variable ? `$${parameter}` : encodeURIComponent(String(operation.example[parameter])),
  );
  const others = Object.entries(operation.example).filter(([parameter]) => otherParameters.has(parameter));
  const query =
    method === "GET" && others.length > 0
      ? `?${others.map(([parameter, value]) => `${parameter}=${encodeURIComponent(String(value))}`).join("&")}`
      : "";
  const url = `${baseUrl}${filled}${query}`;
  const isStream = operation.kind === "subscription";
  return [
    "curl -s",
    // A stream does not end by itself.
    ...(isStream ? ["-N --max-time 2"] : []),
    ...(method === "PUT" ? ["-X PUT"] : []),
    variable ? `"${url}"` : quoted(url),
    ...(method !== "GET" && otherParameters.size > 0
      ? [`-H 'content-type: application/json' -d ${quotedBody(others, variable)}`]
      : []),
    ...(method === "POST" && otherParameters.size === 0 ? ["-d ''"] : []),
    ...(isStream ? ["| grep '^data: '"] : []),
  ].join(" ");
}

/** Shell commands that run an operation's example on the sample chain. */
export function curlOf(named: NamedOperation, baseUrl: string): string {
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

/** The path and query of an operation's example. */
export function examplePathOf({ operation }: NamedOperation): string {
  const { path, otherParameters } = routeOf(operation);
  const { example } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example[name])));
  const query = new URLSearchParams(
    Object.entries(example).flatMap(([name, value]) => (otherParameters.has(name) ? [[name, String(value)]] : [])),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

/** The command line for an operation's example; undefined if it has a command of its own. */
export function commandOf({ name, operation }: NamedOperation): string | undefined {
  if (operation.kind === "subscription" || operation.paid) return undefined;
  const values = Object.entries(operation.example).map(([field, value]) =>
    typeof value === "string" ? `${field}=${/^[\w.,:/-]+$/.test(value) ? value : quoted(value)}` : undefined,
  );
  const input = values.every((value) => value !== undefined)
    ? values.join(" ")
    : quoted(JSON.stringify(operation.example));
  return `intentry call ${name} ${input}`.trim();
}

/** A call of the typed client with an operation's example; undefined if the client has a method of its own for it. */
export function clientCallOf({ name, operation }: NamedOperation, baseUrl: string): string | undefined {
  if (operation.kind === "subscription" || operation.paid) return undefined;
  const input = Object.keys(operation.example).length === 0 ? "" : JSON.stringify(operation.example, null, 2);
  return [
    'import { createIntentryClient } from "intentry";',
    "",
    `const intentry = createIntentryClient({ url: "${baseUrl}" });`,
    `console.log(await intentry.${name}.${operation.writes ? "mutate" : "query"}(${input.replace(/"(\w+)": /g, "$1: ")}));`,
  ].join("\n");
}
