import { agent } from "ponder:schema";
import { getAbiItem } from "viem";
import { agentRegistryAbi } from "../abis/index";
import { directCalls } from "./lib/calldata";
import { handle } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";

const registerAgentCall = directCalls(getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" }));

handle("AgentRegistry:AgentRegistered", async ({ event, context }) => {
  const { agentId, owner, metadataURI } = event.args;
  const call = registerAgentCall(event.transaction, event.log.address);
  const { pubkey, capabilitiesHash } =
    call && call[0] === metadataURI && event.transaction.from === owner
      ? { pubkey: call[1], capabilitiesHash: call[2] }
      : await context.client.readContract({
          abi: agentRegistryAbi,
          address: event.log.address,
          functionName: "getAgent",
          args: [agentId],
        });
  await context.db.insert(agent).values({
    agentId,
    owner,
    metadataUri: cleanText(metadataURI),
    pubkey,
    capabilitiesHash,
    revoked: false,
    blockNumber: event.block.number,
  });
});

handle("AgentRegistry:AgentUpdated", async ({ event, context }) => {
  const { agentId, metadataURI, capabilitiesHash } = event.args;
  const update = context.db.update(agent, { agentId }).set({ metadataUri: cleanText(metadataURI), capabilitiesHash });
  await known(update, "agent", agentId);
});

handle("AgentRegistry:AgentRevoked", async ({ event, context }) => {
  const { agentId } = event.args;
  await known(context.db.update(agent, { agentId }).set({ revoked: true }), "agent", agentId);
});
