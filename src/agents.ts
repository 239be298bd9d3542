import { agent } from "ponder:schema";
import { getAbiItem } from "viem";
import { agentRegistryAbi } from "../abis/index";
import { directCall } from "./lib/calldata";
import { handle } from "./lib/handle";
import { cleanText } from "./lib/text";
import { unknownRow } from "./lib/unknown-row";

const registerAgent = [getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" })] as const;

handle("AgentRegistry:AgentRegistered", async ({ event, context }) => {
  const { agentId, owner, metadataURI } = event.args;
  const call = directCall(event.transaction, event.log.address, registerAgent);
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
    txHash: event.transaction.hash,
  });
});

handle("AgentRegistry:AgentUpdated", async ({ event, context }) => {
  const { agentId, metadataURI, capabilitiesHash } = event.args;
  if (!(await context.db.find(agent, { agentId }))) return unknownRow("agent", agentId);
  await context.db.update(agent, { agentId }).set({ metadataUri: cleanText(metadataURI), capabilitiesHash });
});

handle("AgentRegistry:AgentRevoked", async ({ event, context }) => {
  const { agentId } = event.args;
  if (!(await context.db.find(agent, { agentId }))) return unknownRow("agent", agentId);
  await context.db.update(agent, { agentId }).set({ revoked: true });
});
