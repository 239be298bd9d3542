import { type EventNames, ponder } from "ponder:registry";
import { protocolAbis } from "../../../config/contracts";
import { handle } from "../../../src/lib/handle";
import { bareEvent } from "../ponder.schema";

// One insert per event: its event log row, or with BARE_ROWS=true a row with minimal columns.
for (const [contract, abi] of Object.entries(protocolAbis))
  for (const item of abi) {
    if (item.type !== "event") continue;
    const name = `${contract}:${item.name}` as EventNames;
    if (process.env.BARE_ROWS === "true")
      ponder.on(name, async ({ event, context }) => {
        const row = { id: event.id, blockNumber: event.block.number, txHash: event.transaction.hash, name };
        await context.db.insert(bareEvent as never).values(row as never);
      });
    else handle(name, async () => {});
  }
