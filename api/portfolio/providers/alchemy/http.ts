import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { requestIdHeader } from "../../../telemetry/request-id";
import { traceHeaders, traceStep } from "../../../telemetry/span";

/** Timeout of one request. */
const CALL_MS = 5_000;
/** Retries after a 429. */
const MAX_RETRIES = 2;
/** The delay of a retry without a `Retry-After` header. */
const DEFAULT_RETRY_MS = 500;

/**
 * A request to Alchemy failed. Every URL contains the API key and fetch errors may quote it, so this error has its own
 * message and no cause.
 */
export class AlchemyFailed extends Error {
  override name = "AlchemyFailed";
}

/** The delay of a retry in milliseconds. `Retry-After` is a number of seconds or a date. */
function retryDelay(header: string | null): number {
  if (header === null) return DEFAULT_RETRY_MS;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? DEFAULT_RETRY_MS : Math.max(wait, 0);
}

/** Posts JSON and validates the response. Every failure is an {@link AlchemyFailed}. */
export async function postJson<Answer>(
  url: string,
  body: unknown,
  schema: z.ZodType<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const response = await send(url, body, signal);
    if (response.status === 429 && attempt < MAX_RETRIES) {
      await response.body?.cancel().catch(() => {});
      await waitFor(retryDelay(response.headers.get("retry-after")), signal);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel().catch(() => {});
      throw new AlchemyFailed(`returned status ${response.status}`);
    }
    const parsed = schema.safeParse(await jsonOf(response, signal));
    if (!parsed.success) throw new AlchemyFailed("returned an unexpected response");
    return parsed.data;
  }
}

const send = (url: string, body: unknown, signal: AbortSignal): Promise<Response> =>
  // The URL contains the key, so the span has only its host.
  traceStep(
    { name: "alchemy", isCall: true, attributes: { "server.address": new URL(url).hostname } },
    async (annotate) => {
      const headers = { "content-type": "application/json", accept: "application/json" };
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { ...headers, ...requestIdHeader(), ...traceHeaders() },
          body: JSON.stringify(body),
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
        });
        annotate({ "http.response.status_code": response.status });
        return response;
      } catch (error) {
        throw failureOf(error);
      }
    },
  );

async function jsonOf(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw signal.aborted || !(error instanceof SyntaxError)
      ? failureOf(error)
      : new AlchemyFailed("did not return JSON");
  }
}

const failureOf = (error: unknown) =>
  new AlchemyFailed(
    error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")
      ? "did not answer in time"
      : "could not be reached",
  );

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    throw new AlchemyFailed("is rate limited beyond the time limit");
  }
}
