import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../stack/local/sample/people";
import { differences } from "../support/agreement";
import { fund, ownAccount } from "../support/own-accounts";
import { timeStack, type WrittenStack } from "../support/shared-stack";

const [owner, agent] = [ownAccount("owner of a reorg"), ownAccount("agent of a reorg")];
const registry = "CommerceRegistry";

describe("a reorg", () => {
  let stack: WrittenStack;
  let agentId: bigint;
  let merchantId: bigint;

  beforeAll(async () => {
    stack = await timeStack();
    await fund(stack.client, owner, agent);
    await register("before");
    await stack.write(owner, registry, "registerMerchant", [owner.address, "shop", hashOf("shop")]);
    agentId = BigInt((await ownAgents())[0]?.agentId ?? 0);
    merchantId = BigInt((await stack.rows("merchant")).at(-1)?.merchantId ?? 0);
    await stack.write(agent, "PolicyModule", "setSpendLimit", [stack.contracts.TestDollar, 100n]);
  });
  afterAll(() => stack?.release());

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const ownAgents = async () =>
    (await stack.rows("agent")).filter(({ owner: of }) => of === agent.address.toLowerCase());
  const agents = async () => (await ownAgents()).map(({ metadataUri }) => metadataUri);

  /** Events of several kinds, so that inserts, updates and totals must be reverted. */
  const act = async (name: string) => {
    await register(name);
    await stack.write(agent, "AgentRegistry", "updateAgent", [agentId, `renamed by ${name}`, hashOf(name)]);
    await stack.write(agent, "PolicyModule", "recordSpend", [stack.contracts.TestDollar, 7n]);
    await stack.write(owner, registry, "recordTrustSignal", [0, merchantId, 1, hashOf(name)]);
    await stack.write(owner, registry, "updateMerchant", [merchantId, owner.address, name, hashOf(name), false]);
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
