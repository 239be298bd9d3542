import type { Context } from "ponder:registry";
import { bid, bidSelection, fill, fillProof, intent, openSelection, solverActivity } from "ponder:schema";
import type { Address } from "viem";
import { intentBookAbi } from "../abis/index";
import { startOf } from "../common/rows/interval";
import { addVolume, countActivity } from "./lib/activity";
import { addTo } from "./lib/add-to";
import type { Handlers } from "./lib/handle";
import { intentHash } from "./lib/intent-hash";
import { known } from "./lib/known-row";
import { submittedIntent } from "./lib/submitted-intent";
import { countFill, countForSolver } from "./participants";

/** viem returns checksummed addresses from contract reads; the index stores lowercase. */
const lowercase = (address: Address) => address.toLowerCase() as Address;

/** Adds to the number of a solver's selections whose intent is open. */
const addOpen = (db: Context["db"], solver: Address, deadline: bigint, change: 1 | -1) =>
  addTo(db, openSelection, { solver, deadlineHour: startOf("hour", deadline) }, { count: change });

export const intents: Handlers<"IntentBook"> = {
  async IntentSubmitted({ event, context }) {
    const { intentId, owner, nonce } = event.args;
    const called = submittedIntent(event.transaction, event.log.address);
    const submitted =
      called && called.owner === owner && called.nonce === nonce
        ? called
        : await context.client.readContract({
            abi: intentBookAbi,
            address: event.log.address,
            functionName: "getIntent",
            args: [intentId],
          });
    const { constraints, execution } = submitted;
    await context.db.insert(intent).values({
      intentId,
      owner,
      intentType: submitted.intentType,
      amountInMax: constraints.amountInMax,
      amountOutMin: constraints.amountOutMin,
      deadline: constraints.deadline,
      slippageBps: constraints.slippageBps,
      executionTarget: lowercase(execution.target),
      executionDataHash: execution.dataHash,
      requiredAttestationSubject: execution.requiredAttestationSubject,
      requiredAttestationSchema: execution.requiredAttestationSchema,
      metadataUriHash: execution.metadataURIHash,
      inputToken: lowercase(submitted.inputToken),
      outputToken: lowercase(submitted.outputToken),
      nonce,
      intentHash: intentHash(submitted),
      status: "OPEN",
      submittedAt: event.block.timestamp,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    });
    await countActivity({ event, context }, "intents");
  },

  async IntentCancelled({ event, context }) {
    const { intentId } = event.args;
    const change = context.db.update(intent, { intentId }).set({ status: "CANCELLED" });
    const cancelled = await known(change, "intent", intentId);
    if (!cancelled?.selectedSolver) return;
    const { selectedSolver, deadline } = cancelled;
    await addOpen(context.db, selectedSolver, deadline, -1);
    await countForSolver({ event, context }, selectedSolver, "cancelled");
  },

  async SolverBidSubmitted({ event, context }) {
    await context.db.insert(bid).values({
      ...event.args,
      createdAt: event.block.timestamp,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    });
    await countActivity({ event, context }, "bids");
    await countForSolver({ event, context }, event.args.solver, "bids");
  },

  async SolverBidSelected({ event, context }) {
    const { intentId, bidId, solver } = event.args;
    let replaced: Address | null = null;
    const choice = context.db.update(intent, { intentId }).set((row) => {
      replaced = row.selectedSolver;
      return { selectedBidId: bidId, selectedSolver: solver };
    });
    const selecting = await known(choice, "intent", intentId);
    if (selecting && replaced !== solver) {
      await addTo(context.db, solverActivity, { solver }, { unfilledSelections: 1 });
      await addOpen(context.db, solver, selecting.deadline, 1);
      await countForSolver({ event, context }, solver, "wins");
      if (selecting.owner === solver) await countForSolver({ event, context }, solver, "self_wins");
      if (replaced) {
        await addTo(context.db, solverActivity, { solver: replaced }, { unfilledSelections: -1 });
        await addOpen(context.db, replaced, selecting.deadline, -1);
      }
    }
    const selectedAt = event.block.timestamp;
    await context.db.insert(bidSelection).values({ intentId, bidId, selectedAt }).onConflictDoUpdate({ selectedAt });
  },

  async IntentFilled({ event, context }) {
    const { intentId, solver, amountIn, amountOut } = event.args;
    const filled = await known(context.db.update(intent, { intentId }).set({ status: "FILLED" }), "intent", intentId);
    if (!filled) return;
    const { owner, inputToken, outputToken, selectedBidId: bidId } = filled;
    await context.db.insert(fill).values({
      intentId,
      owner,
      solver,
      inputToken,
      outputToken,
      amountIn,
      amountOut,
      bidId,
      filledAt: event.block.timestamp,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    });
    await addTo(
      context.db,
      solverActivity,
      { solver },
      {
        fills: 1,
        // Only the solver of the selected bid can fill.
        unfilledSelections: -1,
        latencyBlocks: event.block.number - filled.blockNumber,
        surplusOut: amountOut - filled.amountOutMin,
      },
    );
    await addOpen(context.db, solver, filled.deadline, -1);
    await countActivity({ event, context }, "fills");
    await addVolume({ event, context }, "fill_volume", inputToken, amountIn);
    await countFill({ event, context }, { ...event.args, blockNumber: event.block.number }, filled);
  },

  async IntentFillProof({ event, context }) {
    await context.db.insert(fillProof).values(event.args);
  },
};
