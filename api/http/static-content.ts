import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context as HonoContext } from "hono";
import { type Env, type Reply, reply, taggedReply } from "./reply";

/** Above this the compression would take seconds, for a few percent of the size. */
const BROTLI_QUALITY = 5;

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };

/** Compressors by content encoding, the best first. */
const compressors = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
} as const;

export type Encoding = keyof typeof compressors;
const encodings = Object.keys(compressors) as Encoding[];

const compress = (bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> => compressors[encoding](bytes);

/**
 * The best encoding that an `Accept-Encoding` header allows; undefined for none.
 *
 * @example
 * encodingFor("gzip, br;q=0") // "gzip"
 */
export function encodingFor(acceptEncoding: string | undefined): Encoding | undefined {
  const refused = /;\s*q=0(\.0*)?\s*$/;
  const accepted = (acceptEncoding ?? "")
    .toLowerCase()
    .split(",")
    .filter((part) => !refused.test(part))
    .map((part) => part.split(";")[0]?.trim());
  return encodings.find((encoding) => accepted.includes(encoding));
}

/** A reply with a text that is compressed if the client accepts that. `vary` names the other headers that it depends on. */
export async function compressedReply(
  c: HonoContext<Env>,
  text: string,
  type: string,
  { vary, ...headers }: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const encoding = encodingFor(c.req.header("accept-encoding"));
  const bytes = Buffer.from(text);
  const body = new Uint8Array(encoding ? await compress(bytes, encoding) : bytes);
  return taggedReply(body, type, {
    ...headers,
    ...(encoding && { "content-encoding": encoding }),
    vary: ["accept-encoding", ...(vary ? [vary] : [])].join(", "),
  });
}

/** Content that never changes while the process runs. It is compressed and hashed once for each encoding. */
export class StaticContent {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #compressed: Partial<Record<Encoding, Uint8Array>>;
  readonly #headers: Record<string, string>;
  readonly #type: string;
  readonly #replies = new Map<Encoding | undefined, Promise<Reply>>();

  /** `compressed` has the same content, compressed in advance, by its encoding. */
  constructor(
    content: string | Uint8Array,
    type: string,
    headers: Record<string, string> = {},
    compressed: Partial<Record<Encoding, Uint8Array>> = {},
  ) {
    this.#bytes = new Uint8Array(typeof content === "string" ? Buffer.from(content) : content);
    this.#compressed = compressed;
    this.#type = type;
    this.#headers = { ...headers, vary: "accept-encoding" };
  }

  /** Responds with the content, or with 304 if the client has it. */
  async respond(c: HonoContext<Env>): Promise<Response> {
    const encoding = encodingFor(c.req.header("accept-encoding"));
    this.#replies.set(encoding, this.#replies.get(encoding) ?? this.#encode(encoding));
    return reply(c, await (this.#replies.get(encoding) as Promise<Reply>));
  }

  async #encode(encoding: Encoding | undefined): Promise<Reply> {
    if (!encoding) return taggedReply(this.#bytes, this.#type, this.#headers);
    const body = new Uint8Array(this.#compressed[encoding] ?? (await compress(this.#bytes, encoding)));
    return taggedReply(body, this.#type, { ...this.#headers, "content-encoding": encoding });
  }
}
