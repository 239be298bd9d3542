import { bid, bidSelection, fill, fillProof, intent, solverActivity } from "ponder:schema";
import type { Address } from "viem";
import { intentBookAbi } from "../abis/index";
import { addVolume, countActivity } from "./lib/activity";
import { addTo } from "./lib/add-to";
import type { Handlers } from "./lib/handle";
import { intentHash } from "./lib/intent-hash";
import { known } from "./lib/known-row";
import { submittedIntent } from "./lib/submitted-intent";

/** viem returns checksummed addresses from contract reads; the index stores lowercase. */
const lowercase = (address: Address) => address.toLowerCase() as Address;

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
    await known(context.db.update(intent, { intentId }).set({ status: "CANCELLED" }), "intent", intentId);
  },

  async SolverBidSubmitted({ event, context }) {
    await context.db.insert(bid).values({
      ...event.args,
      createdAt: event.block.timestamp,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    });
    await countActivity({ event, context }, "bids");
  },

  async SolverBidSelected({ event, context }) {
    const { intentId, bidId, solver } = event.args;
    let replaced: Address | null = null;
    const choice = context.db.update(intent, { intentId }).set((row) => {
      replaced = row.selectedSolver;
      return { selectedBidId: bidId, selectedSolver: solver };
    });
    if ((await known(choice, "intent", intentId)) && replaced !== solver) {
      await addTo(context.db, solverActivity, { solver }, { unfilledSelections: 1 });
      if (replaced) await addTo(context.db, solverActivity, { solver: replaced }, { unfilledSelections: -1 });
    }
    await context.db.insert(bidSelection).values({ intentId, bidId }).onConflictDoNothing();
  },

  async IntentFilled({ event, context }) {
    const { intentId, solver, amountIn, amountOut } = event.args;
    const filled = await known(context.db.update(intent, { intentId }).set({ status: "FILLED" }), "intent", intentId);
    if (!filled) return;
    await context.db.insert(fill).values({
      intentId,
      solver,
      amountIn,
      amountOut,
      bidId: filled.selectedBidId,
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
    await countActivity({ event, context }, "fills");
    await addVolume({ event, context }, "fill_volume", filled.inputToken, amountIn);
  },

  async IntentFillProof({ event, context }) {
    await context.db.insert(fillProof).values(event.args);
  },
};
