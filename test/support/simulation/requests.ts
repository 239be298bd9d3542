import { allOperations } from "../../../api/operations/index";
import { routeOf } from "../../../api/transports/rest/route";

/** A response, or undefined if the connection broke or there was none in time: the outcome of a write is unknown then. */
export type Answer = { status: number; body: unknown } | undefined;

/** How long a client waits for a response. */
const PATIENCE_MS = 4_000;

export type Transport = "rest" | "trpc";

type Input = Readonly<Record<string, unknown>>;

async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await response.text();
    // A load balancer got no response from the gateway.
    if (response.status === 502) return undefined;
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export const get = (apiUrl: string, path: string): Promise<Answer> => send(`${apiUrl}${path}`, {});

/** Calls a write operation, such as `bids.create`, by REST or tRPC. */
export async function callWrite(apiUrl: string, name: string, input: Input, transport: Transport): Promise<Answer> {
  const operation = allOperations.find((named) => named.name === name)?.operation;
  if (!operation) throw new Error(`Unknown operation ${name}`);
  const contentType = { "content-type": "application/json" };
  if (transport === "trpc") {
    const answer = await send(`${apiUrl}/trpc/${name}`, {
      method: "POST",
      headers: contentType,
      body: JSON.stringify(input),
    });
    if (answer?.status !== 200) return answer;
    return { status: 200, body: (answer.body as { result: { data: unknown } }).result.data };
  }
  const { method, path, headers, otherParameters } = routeOf(operation);
  const fields = Object.entries(input);
  return send(`${apiUrl}${path.replace(/\{(\w+)\}/g, (_, parameter: string) => String(input[parameter]))}`, {
    method,
    headers: {
      ...contentType,
      ...Object.fromEntries(
        Object.entries(headers).flatMap(([header, field]) =>
          input[field] === undefined ? [] : [[header, String(input[field])]],
        ),
      ),
    },
    body: JSON.stringify(Object.fromEntries(fields.filter(([field]) => otherParameters.has(field)))),
  });
}
