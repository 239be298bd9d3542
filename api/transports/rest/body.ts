import type { Context as HonoContext } from "hono";
import { BadInput, TooLarge } from "../../core/errors";
import { unknownNames } from "../../core/input-object";
import { isJsonObject } from "../../core/inputs";
import type { Route } from "./route";

const MAX_BODY_BYTES = 256 * 1024;

/** Rejects invalid UTF-8. With replacement characters, the stored text would differ from the sent bytes. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the JSON object in the body of a request. */
export const readBody = async (c: HonoContext, route: Route) =>
  parseBody(await readText(c), c.req.header("content-type"), route);

/** Parses a body with a JSON object. It may be empty if there are no parameters. */
function parseBody(
  text: string,
  contentType: string | undefined,
  { otherParameters, bodyNames, headers }: Route,
): Record<string, unknown> {
  if (text === "") {
    if (otherParameters.size === 0) return {};
    throw new BadInput("body: is required and must be a JSON object");
  }
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new BadInput("content-type: must be application/json");
  const body = parse(text);
  if (!isJsonObject(body)) throw new BadInput("body: must be a JSON object");
  for (const [header, field] of Object.entries(headers))
    if (Object.hasOwn(body, field))
      throw new BadInput(`${field}: unknown in the body; send it as the header ${header}`);
  const unknown = unknownNames(Object.keys(body), bodyNames);
  if (unknown.length > 0) throw new BadInput(...unknown);
  return body;
}

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#global-request
 *
 * Reads the body up to the size limit. Rejects a larger one by its Content-Length, or as soon as it exceeds the limit. Without
 * this, Hono's `bodyLimit` creates a new Request, which fails in a process where Ponder's older server has replaced the global
 * class.
 *
 * Test: test/core/ponder-port.test.ts "serves methods and bodies like the gateway"
 */
async function readText(c: HonoContext): Promise<string> {
  const tooLarge = () => new TooLarge(`body: must have at most ${MAX_BODY_BYTES} bytes`);
  const length = c.req.header("content-length");
  if (Number(length) > MAX_BODY_BYTES) throw tooLarge();
  if (length !== undefined && c.req.header("transfer-encoding") === undefined)
    return decode(new Uint8Array(await c.req.raw.arrayBuffer()));
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new BadInput("body: is not valid UTF-8");
    throw error;
  }
}

/** A request with a buffered body within the size limit, for a library that reads requests itself. */
export const bufferedRequest = async (c: HonoContext): Promise<Request> =>
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
