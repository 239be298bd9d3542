import type { AnyOperation } from "../../api/core/operation";
import { allOperations } from "../../api/operations/index";
import { routeOf } from "../../api/transports/rest/route";

/** The HTTP request of a write, built from the operation's example. */
function requestOf(operation: AnyOperation): { method: string; path: string; body: Record<string, unknown> } {
  const { method, path, otherParameters } = routeOf(operation);
  const { example } = operation;
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name])),
    body: Object.fromEntries(Object.entries(example).filter(([name]) => otherParameters.has(name))),
  };
}

/**
 * Sends the examples of all write operations, so that the examples of the reads find their data. Skips development-only
 * operations.
 */
export async function publishExamples(apiUrl: string, writeToken: string | undefined): Promise<void> {
  for (const { operation } of allOperations) {
    if (!operation.writes || operation.development) continue;
    const { method, path, body } = requestOf(operation);
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
}
