import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";

/** How long Alchemy has for one answer. */
const CALL_MS = 5_000;
/** How often a request that came too soon is made again. */
const MAX_RETRIES = 2;
/** How long is waited before that where Alchemy does not say. */
const DEFAULT_RETRY_MS = 500;

/**
 * Alchemy did not give what was asked for. The key is part of every URL, so the message is our own words and there is no
 * cause: errors of fetch may quote the URL.
 */
export class AlchemyFailed extends Error {
  override name = "AlchemyFailed";
}

/** How long to wait before asking again: `Retry-After` is in seconds, or a date. */
function retryDelay(header: string | null): number {
  if (header === null) return DEFAULT_RETRY_MS;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? DEFAULT_RETRY_MS : Math.max(wait, 0);
}

/** Sends a JSON body and parses the JSON that comes back; every failure is an {@link AlchemyFailed}. */
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
      throw new AlchemyFailed(`answered with status ${response.status}`);
    }
    const parsed = schema.safeParse(await jsonOf(response, signal));
    if (!parsed.success) throw new AlchemyFailed("answered in a shape that is not known");
    return parsed.data;
  }
}

async function send(url: string, body: unknown, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    });
  } catch (error) {
    throw failureOf(error);
  }
}

async function jsonOf(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw signal.aborted || !(error instanceof SyntaxError) ? failureOf(error) : new AlchemyFailed("answered no JSON");
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
    throw new AlchemyFailed("asked to wait for longer than there is time");
  }
}
