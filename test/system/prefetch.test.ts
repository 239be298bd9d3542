import { encodeFunctionData } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { differences } from "../support/agreement";
import { type Stack, startStack } from "../support/stack";

const agent = actor(1);
const hash = hashOf("anything");

/**
 * Ponder infers from past events which argument a primary key comes from, by equal values, and prefetches rows accordingly.
 * After a coincidental match, the next event stopped the indexer. Random runs found both cases.
 */
describe("a key that looks like another argument", () => {
  let stack: Stack | undefined;
  afterEach(async () => {
    await stack?.stop();
  });

  it("of trust signals and of the event log does not stop the index", async () => {
    stack = await startStack({ index: false });
    const { write, contracts, client } = stack;
    const signal = (subjectId: bigint, kind: number) =>
      write(agent, "CommerceRegistry", "recordTrustSignal", [0, subjectId, kind, hash]);
    const register = encodeFunctionData({
      abi: agentRegistryAbi,
      functionName: "registerAgent",
      args: ["a", "0x01", hash],
    });
    const rename = encodeFunctionData({ abi: agentRegistryAbi, functionName: "updateAgent", args: [2n, "1", hash] });

    await signal(9n, 1);
    await signal(3n, 3);
    await write(agent, "AgentRegistry", "registerAgent", ["a", "0x01", hash]);
    await write(agent, "AgentRegistry", "updateAgent", [1n, "b", hash]);
    await write(agent, "Multicall", "aggregate", [
      [register, rename].map((data) => ({ target: contracts.AgentRegistry, value: 0n, data })),
    ]);
    await client.mine({ blocks: 40 });
    await stack.startIndexer();

    await signal(2n ** 256n - 1n, 1);
    await write(agent, "AgentRegistry", "updateAgent", [1n, "ipfs://x", hash]);
    expect(await differences(stack)).toEqual([]);
  });
});
