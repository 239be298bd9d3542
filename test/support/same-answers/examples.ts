import { type AnyCall, z } from "../../../api/core/operation";
import { freeCalls } from "../../../api/operations/index";
import { exampleSources } from "../../../api/transports/example-sources";
import { routeOf } from "../../../api/transports/rest/route";
import { addressOf, type Parameters } from "../lists/asking";

export type Request = { method: "GET" | "POST"; path: string; body?: Record<string, unknown> };

export type Example = {
  /** Method and path, with parameters in braces. */
  route: string;
  operation: AnyCall;
  parameters: Parameters;
  request: Request;
};

/** The writes that are measured. The others change what the reads return. */
const POSTS = new Set(["preflight.check", "documents.publishCatalog"]);

/** Reads whose answers depend on the time of the request, or on the server's settings. */
const EXCLUDED = new Set(["status.ready", "payments.discovery"]);

const measured = freeCalls.filter(
  ({ name, operation }) => (operation.route.startsWith("GET ") && !EXCLUDED.has(name)) || POSTS.has(name),
);

const Answer = z.record(z.string(), z.unknown());

/** The answer to a request that must succeed. */
export async function askJson(baseUrl: string, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${baseUrl}${path}`);
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${await response.text()}`);
  return Answer.parse(await response.json());
}

/** The items of a list's answer, or the answer itself. */
export const itemsOf = (answer: Record<string, unknown>): Record<string, unknown>[] =>
  z.array(Answer).parse(Object.values(answer).find(Array.isArray) ?? [answer]);

const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** The parameters of an example. A value that differs on every chain is taken from another operation's answer. */
async function parametersOf(baseUrl: string, name: string, operation: AnyCall): Promise<Parameters> {
  const parameters = textsOf(operation.example);
  const found = exampleSources[name];
  const source = freeCalls.find((call) => call.name === found?.source.operation)?.operation;
  if (!found || !source) return parameters;
  const path = addressOf(routeOf(source).path, textsOf(source.example));
  const answer = await askJson(baseUrl, path);
  const item = found.source.key in answer ? answer : itemsOf(answer)[0];
  return { ...parameters, [found.parameter]: String(item?.[found.source.key]) };
}

/** The example request of every measured operation. */
export const exampleRequests = (baseUrl: string): Promise<Example[]> =>
  Promise.all(
    measured.map(async ({ name, operation }): Promise<Example> => {
      const { method, path } = routeOf(operation);
      if (method !== "GET") {
        const request: Request = { method: "POST", path, body: operation.example };
        return { route: operation.route, operation, parameters: {}, request };
      }
      const parameters = await parametersOf(baseUrl, name, operation);
      const request: Request = { method, path: addressOf(path, parameters) };
      return { route: operation.route, operation, parameters, request };
    }),
  );
