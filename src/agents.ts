import { agent } from "ponder:schema";
import { getAbiItem } from "viem";
import { agentRegistryAbi } from "../abis/index";
import { countActivity } from "./lib/activity";
import { directCall } from "./lib/calldata";
import type { Handlers } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";

const registeredAgent = directCall(getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" }), (args) => ({
  metadataURI: Buffer.from(args.bytes(0).slice(2), "hex").toString(),
  pubkey: args.bytes(1),
  capabilitiesHash: args.bytes32(2),
}));

export const agents: Handlers<"AgentRegistry"> = {
  async AgentRegistered({ event, context }) {
    const { agentId, owner, metadataURI } = event.args;
    const called = registeredAgent(event.transaction, event.log.address);
    const { pubkey, capabilitiesHash } =
      called && called.metadataURI === metadataURI && event.transaction.from === owner
        ? called
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
    await countActivity({ event, context }, "agents");
  },

  async AgentUpdated({ event, context }) {
    const { agentId, metadataURI, capabilitiesHash } = event.args;
    const update = context.db.update(agent, { agentId }).set({ metadataUri: cleanText(metadataURI), capabilitiesHash });
    await known(update, "agent", agentId);
  },

  async AgentRevoked({ event, context }) {
    const { agentId } = event.args;
    await known(context.db.update(agent, { agentId }).set({ revoked: true }), "agent", agentId);
  },
};
