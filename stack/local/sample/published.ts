import { type AnyOperation, readsIndex } from "../../../api/core/operation";
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
async function send(
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

/** How many requests are sent at the same time. */
const CONCURRENT = 8;

/** Sends writes to the service, in no particular order. Throws if one is rejected. */
export async function sendAll(apiUrl: string, writeToken: string | undefined, writes: readonly WriteRequest[]) {
  const rest = [...writes];
  const sendRest = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await send(apiUrl, writeToken, next);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, sendRest));
}

/** Writes by what they need: only the store, or also the records of the index. */
export type Writes = { documents: readonly WriteRequest[]; aboutRecords: readonly WriteRequest[] };

/**
 * The examples of all write operations, so that the examples of the reads find their data, and the metadata of the
 * sample's records. Skips development-only operations.
 */
export function sampleWrites(): Writes {
  const examples = allOperations.flatMap(({ operation }) =>
    operation.writes && !operation.development ? [operation] : [],
  );
  const catalog = requestOf(catalogs.publish);
  return {
    documents: [
      ...examples.filter((operation) => !readsIndex(operation)).map(requestOf),
      ...metadataTexts.map((text) => ({ ...catalog, body: { catalog_json: text } })),
    ],
    aboutRecords: examples.filter(readsIndex).map(requestOf),
  };
}

/** Publishes {@link sampleWrites} on a service whose index has the sample. */
export async function publishExamples(apiUrl: string, writeToken: string | undefined): Promise<void> {
  const { documents, aboutRecords } = sampleWrites();
  for (const write of [...documents, ...aboutRecords]) await send(apiUrl, writeToken, write);
}
