import type { Context as HonoContext } from "hono";
import { BadInput, TooLarge } from "../../core/errors";

const MAX_BODY_BYTES = 256 * 1024;

/** Bytes that are no text are refused: replaced, they would be stored as something that nobody sent. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a body that is a JSON object with those parameters. Without any, there need be no body. All that is documented to
 * be a number is one in a string: a number of JSON has lost the digits that it can't hold before anyone could tell.
 */
export async function readBody(c: HonoContext, parameters: ReadonlySet<string>): Promise<Record<string, unknown>> {
  const text = await readText(c);
  if (text === "") {
    if (parameters.size === 0) return {};
    throw new BadInput("body: is required, as a JSON object");
  }
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new BadInput("content-type: must be application/json");
  const body = parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new BadInput("body: must be a JSON object");
  const numbers = Object.entries(body).filter(([name, value]) => typeof value === "number" && parameters.has(name));
  if (numbers.length > 0) throw new BadInput(...numbers.map(([name]) => `${name}: must be a string`));
  return body as Record<string, unknown>;
}

/**
 * Reads a body as far as it may go: one that is too large is refused before it is read if it says its length, and else as
 * soon as it is. Hono's own limit makes a new Request of this one, which fails in a process where Ponder's older server has
 * put its own class in the place of the global one.
 */
async function readText(c: HonoContext): Promise<string> {
  const tooLarge = () => new TooLarge(`body: must have at most ${MAX_BODY_BYTES} bytes`);
  if (Number(c.req.header("content-length")) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof TypeError) throw new BadInput("body: is not valid UTF-8");
    throw error;
  }
}

/** A request whose body is read already, and is not longer than it may be, for a library that reads requests itself. */
export const boundedRequest = async (c: HonoContext): Promise<Request> =>
  c.req.method === "POST"
    ? new Request(c.req.url, { method: "POST", headers: c.req.raw.headers, body: await readText(c) })
    : c.req.raw;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadInput(`body: is not valid JSON${error instanceof SyntaxError ? ` (${error.message})` : ""}`);
  }
}
