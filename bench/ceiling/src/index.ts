import { type EventNames, ponder } from "ponder:registry";
import { contractNames, protocolAbis } from "../../../config/contracts";
import { handle } from "../../../src/lib/handle";
import { bareEvent } from "../ponder.schema";

// One insert per event: its row of the event log, or with BARE_ROWS=true a minimal row.
for (const contract of contractNames)
  for (const item of protocolAbis[contract]) {
    if (item.type !== "event") continue;
    const name = `${contract}:${item.name}` as EventNames;
    if (process.env.BARE_ROWS === "true")
      ponder.on(name, async ({ event, context }) => {
        const row = { id: event.id, blockNumber: event.block.number, txHash: event.transaction.hash, name };
        await context.db.insert(bareEvent as never).values(row as never);
      });
    else handle(contract, item.name, async () => {});
  }
