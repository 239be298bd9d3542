import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";

type Fetch = typeof globalThis.fetch;

/** A block's number is of 64 bits at most. */
const Quantity = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-f]{1,16}$/.test(value));

const Block = z.looseObject({ number: Quantity, hash: z.string() });
type Block = z.infer<typeof Block>;

const Answer = z.object({ result: Block.nullable() });

const Call = z.object({
  id: z.unknown(),
  method: z.literal("eth_getBlockByNumber"),
  params: z.tuple([z.literal("latest"), z.literal(true)]),
});

/** The newest block that was told of, and which node told of it. */
type Head = { url: string; block: Block };

/** How often in a row a node has to say that it has a block no more, without having another in its place. */
const DENIALS = 3;

/** How long a node has to say whether a block stands. */
const STANDS_MS = 5_000;

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Makes a `fetch` for Ponder, which asks nodes for the newest block again and again, and takes one that is not newer than the
 * last for a reorg: the rows of what came after it are gone then, until it is told of these blocks again. But answers
 * overtake each other, and of the machines behind an address some are behind. So a block that is not newer is passed on
 * only once the node that told of the newer one has another in its place, or has said several times that it has none; until
 * then the newer one is told again. All other requests pass as they are.
 */
export function steadyHead(fetch: Fetch, urls: readonly string[]): Fetch {
  const nodes = new Set(urls.map((url) => new URL(url).href));
  let head: Head | undefined;
  let denials = 0;

  /** Whether the block that was told of is still the one of its height; also if nobody can say so just now. */
  async function stands({ url, block }: Head): Promise<boolean> {
    const call = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [block.number, false] };
    const text = await fetch(url, { ...post(call), signal: AbortSignal.timeout(STANDS_MS) })
      .then((response) => response.text())
      .catch(() => "");
    const answer = Answer.safeParse(parsed(text));
    if (!answer.success) return true;
    const { result } = answer.data;
    denials = result ? 0 : denials + 1;
    return result ? result.hash === block.hash : denials < DENIALS;
  }

  /** The newest block, after a node has told of one. */
  async function settle(told: Head): Promise<Block> {
    const last = head;
    const isNewer = !last || hexToBigInt(told.block.number) > hexToBigInt(last.block.number);
    const isSame = told.block.hash === last?.block.hash;
    if (last && !isNewer && !isSame && (await stands(last))) return (head ?? last).block;
    // Another answer may have come meanwhile, with a newer block than both.
    if (head !== last && head && hexToBigInt(head.block.number) > hexToBigInt(told.block.number)) return head.block;
    head = told;
    denials = 0;
    return told.block;
  }

  return async (input, init) => {
    if (!(input instanceof Request) || !nodes.has(input.url)) return fetch(input, init);
    const { url, method, headers, signal } = input;
    const body = await input.text();
    const response = await fetch(url, { method, headers, signal, body });
    const call = Call.safeParse(parsed(body));
    if (!call.success || !response.ok) return response;
    const text = await response.text();
    const block = Answer.safeParse(parsed(text)).data?.result;
    if (!block) return new Response(text, response);
    const result = await settle({ url, block });
    return Response.json({ jsonrpc: "2.0", id: call.data.id, result });
  };
}
