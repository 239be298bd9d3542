import type { AnyOperation } from "../../api/core/operation";
import { allOperations } from "../../api/operations/index";
import { routeOf } from "../../api/transports/rest/route";

/** Where a write goes, and its body: what the path and the body take of an operation's example. */
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
 * Publishes what the examples of the writes say, so that those of the reads find it. What is only for development
 * is left to those who try it.
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
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
  }
}
