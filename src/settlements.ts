import { settlement } from "ponder:schema";
import type { Handlers } from "./lib/handle";
import { executedLines } from "./lib/settlement-lines";
import { proveEarlierReceipt } from "./payment-proof";

export const settlements: Handlers<"SettlementAdapter"> = {
  async SettlementExecuted({ event, context }) {
    const { executionHash } = event.args;
    const adapter = event.log.address;
    const called = executedLines(event.transaction, { chainId: context.chain.id, adapter, executionHash });
    const known = called && { deadline: called.deadline, lines: JSON.stringify(called.lines) };
    const executed = await context.db
      .insert(settlement)
      .values({
        ...event.args,
        deadline: known?.deadline ?? null,
        lines: known?.lines ?? null,
        executions: 1,
        executedAt: event.block.timestamp,
        logIndex: event.log.logIndex,
        blockNumber: event.block.number,
        txHash: event.transaction.hash,
      })
      // The hash covers the whole instruction, so only the execution differs.
      .onConflictDoUpdate((before) => ({
        executions: before.executions + 1,
        ...(before.lines === null ? known : {}),
      }));
    await proveEarlierReceipt(context.db, executed);
  },
};
