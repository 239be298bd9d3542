import { encodeFunctionData } from "viem";
import { agentRegistryAbi } from "../../../abis/index";
import type { Protocol } from "../protocol";
import type { metadataAt } from "./metadata";
import { hashOf, people } from "./people";

const { alice, bob } = people;

/** Registers agents of two owners and of a smart account. Updates one and revokes one. */
export async function registerAgents(
  { write, contracts }: Protocol,
  metadata: ReturnType<typeof metadataAt>,
): Promise<void> {
  await write(alice, "AgentRegistry", "registerAgent", [metadata("trader").uri, "0x04a1b2c3", hashOf("trade")]);
  await write(bob, "AgentRegistry", "registerAgent", [metadata("shopper").uri, "0x04d4e5f6", hashOf("shop")]);
  await write(bob, "AgentRegistry", "registerAgent", [metadata("retired").uri, "0x04070809", hashOf("nothing")]);
  await write(alice, "AgentRegistry", "updateAgent", [1n, metadata("traderHedging").uri, hashOf("trade,hedge")]);
  await write(bob, "AgentRegistry", "revokeAgent", [3n]);

  const registration = encodeFunctionData({
    abi: agentRegistryAbi,
    functionName: "registerAgent",
    args: [metadata("treasurer").uri, "0x04aabbcc", hashOf("save")],
  });
  await write(alice, "PolicyAccount", "setTargetAllowed", [contracts.AgentRegistry, true]);
  await write(alice, "PolicyAccount", "execute", [contracts.AgentRegistry, 0n, registration]);
}
