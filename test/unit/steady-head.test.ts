import { numberToHex } from "viem";
import { describe, expect, it } from "vitest";
import { steadyHead } from "../../src/lib/steady-head";

const [first, second, elsewhere] = [
  "http://one.example/?lane=1",
  "http://two.example/",
  "http://three.example/",
] as const;

type Block = { number: `0x${string}`; hash: string };
type Call = { method: string; params: [string, boolean] };

const block = (number: number, branch = "a"): Block => ({ number: numberToHex(number), hash: `${branch}${number}` });

/** Nodes that have what they are given: the newest block as they see it, and blocks by their number. */
class Nodes {
  readonly asked: string[] = [];
  newest: unknown = null;
  blocks: Record<string, Block | null> = {};
  away: "refuses" | "breaks off" | "is busy" | undefined;

  readonly fetch = steadyHead(
    async (input, init) => {
      const { method, params } = JSON.parse(String(init?.body ?? (await (input as Request).text()))) as Call;
      this.asked.push(`${input instanceof Request ? input.url : input} ${method} ${params[0]}`);
      if (params[0] === "latest") return Response.json({ jsonrpc: "2.0", id: 1, result: this.newest });
      if (this.away === "refuses") throw new TypeError("fetch failed");
      if (this.away === "breaks off")
        return new Response(new ReadableStream({ start: (body) => body.error(new Error()) }));
      if (this.away === "is busy")
        return Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32005 } }, { status: 429 });
      return Response.json({ jsonrpc: "2.0", id: 1, result: this.blocks[params[0]] ?? null });
    },
    [first, second],
  );

  /** What Ponder hears when it asks for the newest block, and a node has this one. */
  async told(newest: unknown, url: string = first): Promise<unknown> {
    this.newest = newest;
    const call = { jsonrpc: "2.0", id: 7, method: "eth_getBlockByNumber", params: ["latest", true] };
    const response = await this.fetch(new Request(url, { method: "POST", body: JSON.stringify(call) }));
    return ((await response.json()) as { result: unknown }).result;
  }

  /** Lets all nodes have this block at its height. */
  have(one: Block): Block {
    this.blocks[one.number] = one;
    return one;
  }
}

describe("the newest block, as Ponder is told of it", () => {
  it("is what the node says as long as that goes forward", async () => {
    const nodes = new Nodes();
    for (const number of [1, 2, 2, 5]) expect(await nodes.told(block(number))).toEqual(block(number));
    expect(nodes.asked).toEqual(Array(4).fill(`${first} eth_getBlockByNumber latest`));
  });

  it("stays when an older one is told and the node still has it, whichever node is behind", async () => {
    const nodes = new Nodes();
    const newest = nodes.have(block(5));
    await nodes.told(newest);
    for (const older of [block(4), block(1), block(5, "b")]) expect(await nodes.told(older, second)).toEqual(newest);
    expect(nodes.asked.at(-1)).toBe(`${first} eth_getBlockByNumber 0x5`);
    expect(await nodes.told(block(6), second)).toEqual(block(6));
  });

  it("is another at once when the node has another in its place", async () => {
    const nodes = new Nodes();
    await nodes.told(block(5));
    nodes.have(block(5, "b"));
    expect(await nodes.told(block(5, "b"))).toEqual(block(5, "b"));
    nodes.have(block(5, "c"));
    expect(await nodes.told(block(4, "c"))).toEqual(block(4, "c"));
  });

  it("is an older one when the node says three times in a row that there is none in its place", async () => {
    const nodes = new Nodes();
    await nodes.told(block(5));
    for (const recover of [() => nodes.told(block(5)), () => nodes.told(block(4))]) {
      expect(await nodes.told(block(3))).toEqual(block(5));
      expect(await nodes.told(block(3))).toEqual(block(5));
      nodes.have(block(5));
      expect(await recover()).toEqual(block(5));
      nodes.blocks = {};
    }
    expect(await nodes.told(block(3))).toEqual(block(5));
    expect(await nodes.told(block(3))).toEqual(block(5));
    expect(await nodes.told(block(3))).toEqual(block(3));
  });

  it.each(["refuses", "breaks off", "is busy"] as const)("stays when the node that told of it %s", async (away) => {
    const nodes = new Nodes();
    await nodes.told(block(5));
    nodes.away = away;
    for (let poll = 0; poll < 5; poll++) expect(await nodes.told(block(4), second)).toEqual(block(5));
  });

  it.each([
    null,
    "5",
    {},
    { number: 5, hash: "a" },
    { number: "0x", hash: "a" },
    { number: `0x${"f".repeat(17)}`, hash: "" },
  ])("is passed on as it is when it is no block: %j", async (nonsense) => {
    const nodes = new Nodes();
    await nodes.told(block(5));
    expect(await nodes.told(nonsense)).toEqual(nonsense);
    expect(await nodes.told(block(6))).toEqual(block(6));
  });

  it("is all that is looked at: other questions and other places pass", async () => {
    const nodes = new Nodes();
    await nodes.told(nodes.have(block(5)));
    nodes.newest = block(3);
    for (const [url, params] of [
      [first, ["latest", false]],
      [first, ["0x3", true]],
      [elsewhere, ["latest", true]],
    ] as const) {
      nodes.have(block(3));
      const body = JSON.stringify({ id: 1, method: "eth_getBlockByNumber", params });
      const response = await nodes.fetch(new Request(url, { method: "POST", body }));
      expect(await response.json()).toMatchObject({ result: block(3) });
    }
  });
});
