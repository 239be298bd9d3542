import { type EventNames, ponder } from "ponder:registry";
import { protocolAbis } from "../../../config/contracts";
import { event as eventTable } from "../ponder.schema";

for (const [contract, abi] of Object.entries(protocolAbis))
  for (const item of abi) {
    if (item.type !== "event") continue;
    const name = `${contract}:${item.name}` as EventNames;
    ponder.on(name, async ({ event, context }) => {
      const row = { id: event.id, blockNumber: event.block.number, txHash: event.transaction.hash, name };
      await context.db.insert(eventTable as never).values(row as never);
    });
  }
