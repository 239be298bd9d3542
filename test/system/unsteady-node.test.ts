import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { type Index, indexOf } from "../support/index-of";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";

const agent = actor(2);

describe("a node whose newest block goes back and forth", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  beforeAll(async () => {
    stack = await startStack({ index: false });
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, {
      DATABASE_URL: stack.databaseUrl,
    });
    await index.startIndexer();
  });
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
  });

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const agents = async () => {
    const response = await fetch(`${index.apiUrl}/agents?owner=${agent.address}&total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  /** The number of agents in the API during an action, each time that it changed. */
  async function seenWhile(act: () => Promise<void>): Promise<number[]> {
    const seen = [await agents()];
    let acting = true;
    const watching = (async () => {
      while (acting) {
        const now = await agents();
        if (now !== seen.at(-1)) seen.push(now);
      }
    })();
    await act();
    acting = false;
    await watching;
    // The last poll may have run before the last row was written.
    const last = await agents();
    if (last !== seen.at(-1)) seen.push(last);
    return seen;
  }

  it.each([
    ["because responses arrive out of order", "late"],
    ["because some of its replicas are behind", "behind"],
  ] as const)("reverts nothing, %s", async (_, fate) => {
    let polls = 0;
    proxy.decide(({ method, params: [block] }) =>
      method === "eth_getBlockByNumber" && block === "latest" && polls++ % 3 === 0 ? fate : "pass",
    );
    const seen = await seenWhile(async () => {
      for (let number = 0; number < 20; number++) {
        await register(`${fate} ${number}`);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      proxy.decide(() => "pass");
      await index.indexed();
    });
    expect(seen.at(-1)).toBe((seen[0] ?? 0) + 20);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
  });
});
