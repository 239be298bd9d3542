import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { differences } from "../support/agreement";
import { type Stack, startStack } from "../support/stack";

const [owner, agent] = [actor(1), actor(2)];
const registry = "CommerceRegistry";

describe("a reorg", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
    await register("before");
    await stack.write(owner, registry, "registerMerchant", [owner.address, "shop", hashOf("shop")]);
    await stack.write(agent, "PolicyModule", "setSpendLimit", [stack.contracts.TestDollar, 100n]);
  });
  afterAll(() => stack?.stop());

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const agents = async () => (await stack.rows("agent")).map(({ metadataUri }) => metadataUri);

  /** Events of several kinds, so that inserts, updates and totals must be reverted. */
  const act = async (name: string) => {
    await register(name);
    await stack.write(agent, "AgentRegistry", "updateAgent", [1n, `renamed by ${name}`, hashOf(name)]);
    await stack.write(agent, "PolicyModule", "recordSpend", [stack.contracts.TestDollar, 7n]);
    await stack.write(owner, registry, "recordTrustSignal", [0, 1n, 1, hashOf(name)]);
    await stack.write(owner, registry, "updateMerchant", [1n, owner.address, name, hashOf(name), false]);
  };

  it("by snapshot and revert leaves the canonical rows", async () => {
    const snapshot = await stack.client.snapshot();
    await act("lost");
    expect(await agents()).toEqual(["renamed by lost", "lost"]);
    await stack.client.revert({ id: snapshot });
    await register("kept");
    await stack.client.mine({ blocks: 6 });
    await expect.poll(agents).toEqual(["before", "kept"]);
    expect(await differences(stack)).toEqual([]);
  });

  it("by anvil_reorg, down to the deepest pending block, leaves the canonical rows", async () => {
    await act("deep");
    await stack.client.mine({ blocks: 15 });
    await stack.indexed();
    await stack.client.request({ method: "anvil_reorg", params: [20, []] } as never);
    await stack.client.mine({ blocks: 2 });
    await register("after the reorg");
    await expect.poll(agents).toEqual(["before", "kept", "after the reorg"]);
    expect(await differences(stack)).toEqual([]);
  });
});
