import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { BadInput, TooLarge } from "../errors";

const MAX_BODY_BYTES = 256 * 1024;

/** Refuses a body that is too large, before it is read if it says its length, and else as soon as it is. */
export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new TooLarge(`body: must have at most ${MAX_BODY_BYTES} bytes`);
  },
});

/** Reads a body that is a JSON object. */
export async function readBody(c: Context): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  if (text === "") throw new BadInput("body: is required, as a JSON object");
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new BadInput("content-type: must be application/json");
  const body = parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new BadInput("body: must be a JSON object");
  return body as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadInput(`body: is not valid JSON${error instanceof SyntaxError ? ` (${error.message})` : ""}`);
  }
}
