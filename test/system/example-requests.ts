import { expect } from "vitest";
import type { AnyCall } from "../../api/core/operation";
import { freeCalls } from "../../api/operations/index";
import { exampleSources } from "../../api/transports/example-sources";
import { routeOf } from "../../api/transports/rest/route";

/** Sends the example of an operation, with values for the parameters that differ between chains. */
async function send(apiUrl: string, operation: AnyCall, found: Record<string, unknown>): Promise<unknown> {
  const { method, path, otherParameters } = routeOf(operation);
  const input: Record<string, unknown> = { ...operation.example, ...found };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const others = Object.entries(input).filter(([name]) => otherParameters.has(name));
  const query = new URLSearchParams(others.map(([name, value]) => [name, String(value)]));
  const url = `${apiUrl}${filled}${method === "GET" ? `?${query}` : ""}`;
  const headers = { "content-type": "application/json" };
  const body = others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : "";
  const response = await fetch(url, method === "GET" ? {} : { method, headers, body });
  const text = await response.text();
  expect(response.ok, `${url}: ${text}`).toBe(true);
  return JSON.parse(text.replaceAll(apiUrl, "http://localhost:3001"));
}

/** Sends the example of every free operation but some to a service on the sample chain. Returns the responses by operation. */
export async function sendExamples(apiUrl: string, except: readonly string[] = []): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  // Those without a source first: some of them are sources.
  const ordered = freeCalls
    .filter(({ name }) => !except.includes(name))
    .sort((one, other) => Number(one.name in exampleSources) - Number(other.name in exampleSources));
  for (const { name, operation } of ordered) {
    const { parameter, source } = exampleSources[name] ?? {};
    const found = source && new RegExp(`"${source.key}":"([^"]+)"`).exec(JSON.stringify(responses[source.operation]));
    responses[name] = await send(apiUrl, operation, parameter === undefined ? {} : { [parameter]: found?.[1] });
  }
  return responses;
}
