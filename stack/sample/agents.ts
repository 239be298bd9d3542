import { encodeFunctionData } from "viem";
import { agentRegistryAbi } from "../../abis/index";
import type { Protocol } from "../protocol";
import { hashOf, people } from "./people";

const { alice, bob } = people;

/** Registers agents of two owners and of a smart account. Updates one and revokes one. */
export async function registerAgents({ write, contracts }: Protocol): Promise<void> {
  await write(alice, "AgentRegistry", "registerAgent", ["ipfs://agents/trader", "0x04a1b2c3", hashOf("trade")]);
  await write(bob, "AgentRegistry", "registerAgent", ["ipfs://agents/shopper", "0x04d4e5f6", hashOf("shop")]);
  await write(bob, "AgentRegistry", "registerAgent", ["ipfs://agents/retired", "0x04070809", hashOf("nothing")]);
  await write(alice, "AgentRegistry", "updateAgent", [1n, "ipfs://agents/trader-v2", hashOf("trade,hedge")]);
  await write(bob, "AgentRegistry", "revokeAgent", [3n]);

  const registration = encodeFunctionData({
    abi: agentRegistryAbi,
    functionName: "registerAgent",
    args: ["ipfs://agents/treasurer", "0x04aabbcc", hashOf("save")],
  });
  await write(alice, "PolicyAccount", "setTargetAllowed", [contracts.AgentRegistry, true]);
  await write(alice, "PolicyAccount", "execute", [contracts.AgentRegistry, 0n, registration]);
}
