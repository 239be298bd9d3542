import type { AnyOperation } from "../../../api/core/operation";
import { catalogs } from "../../../api/operations/documents";
import { allOperations } from "../../../api/operations/index";
import { routeOf } from "../../../api/transports/rest/route";
import { metadataTexts } from "./metadata";

export type WriteRequest = { method: string; path: string; body: Record<string, unknown> };

/** The HTTP request of a write, built from the operation's example. */
function requestOf(operation: AnyOperation): WriteRequest {
  const { method, path, otherParameters } = routeOf(operation);
  const { example } = operation;
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name])),
    body: Object.fromEntries(Object.entries(example).filter(([name]) => otherParameters.has(name))),
  };
}

/** Sends a write to the service. Throws if it is rejected. */
export async function send(
  apiUrl: string,
  writeToken: string | undefined,
  { method, path, body }: WriteRequest,
): Promise<void> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(writeToken !== undefined && { authorization: `Bearer ${writeToken}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
}

/**
 * Sends the examples of all write operations, so that the examples of the reads find their data, and the metadata of the
 * sample's records. Skips development-only operations.
 */
export async function publishExamples(apiUrl: string, writeToken: string | undefined): Promise<void> {
  const examples = allOperations
    .map(({ operation }) => operation)
    .filter(({ writes, development }) => writes && !development)
    .map(requestOf);
  const documents = metadataTexts.map((text) => ({ ...requestOf(catalogs.publish), body: { catalog_json: text } }));
  for (const request of [...examples, ...documents]) await send(apiUrl, writeToken, request);
}
