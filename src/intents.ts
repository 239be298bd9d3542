import { bid, fill, intent, solverActivity } from "ponder:schema";
import { getAbiItem } from "viem";
import { intentBookAbi } from "../abis/index";
import { addTo } from "./lib/add-to";
import { directCall } from "./lib/calldata";
import { handle } from "./lib/handle";
import { intentHash } from "./lib/intent-hash";
import { unknownRow } from "./lib/unknown-row";

const submitIntent = [getAbiItem({ abi: intentBookAbi, name: "submitIntent" })] as const;

handle("IntentBook:IntentSubmitted", async ({ event, context }) => {
  const { intentId, owner, nonce } = event.args;
  const called = directCall(event.transaction, event.log.address, submitIntent)?.[0];
  const submitted =
    called && called.owner.toLowerCase() === owner && called.nonce === nonce
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
    executionTarget: execution.target,
    executionDataHash: execution.dataHash,
    requiredAttestationSubject: execution.requiredAttestationSubject,
    requiredAttestationSchema: execution.requiredAttestationSchema,
    metadataUriHash: execution.metadataURIHash,
    inputToken: submitted.inputToken,
    outputToken: submitted.outputToken,
    nonce,
    intentHash: intentHash(submitted),
    status: "OPEN",
    submittedAt: event.block.timestamp,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
});

handle("IntentBook:IntentCancelled", async ({ event, context }) => {
  const { intentId } = event.args;
  const cancelled = await context.db.find(intent, { intentId });
  if (!cancelled) return unknownRow("intent", intentId);
  await context.db.update(intent, { intentId }).set({ status: "CANCELLED" });
  if (cancelled.selectedSolver)
    await addTo(context.db, solverActivity, { solver: cancelled.selectedSolver }, { cancelledSelections: 1 });
});

handle("IntentBook:SolverBidSubmitted", async ({ event, context }) => {
  await context.db.insert(bid).values({
    ...event.args,
    status: "OPEN",
    createdAt: event.block.timestamp,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
});

handle("IntentBook:SolverBidSelected", async ({ event, context }) => {
  const { intentId, bidId, solver } = event.args;
  const chosenFor = await context.db.find(intent, { intentId });
  if (!chosenFor) return unknownRow("intent", intentId);
  if (!(await context.db.find(bid, { intentId, bidId }))) return unknownRow("bid", `${intentId}-${bidId}`);
  const earlier = chosenFor.selectedBidId;
  if (earlier !== null && earlier !== bidId)
    await context.db.update(bid, { intentId, bidId: earlier }).set({ status: "REJECTED" });
  await context.db.update(bid, { intentId, bidId }).set({ status: "SELECTED" });
  await context.db.update(intent, { intentId }).set({ selectedBidId: bidId, selectedSolver: solver });
});

handle("IntentBook:IntentFilled", async ({ event, context }) => {
  const { intentId, solver, amountIn, amountOut } = event.args;
  const filled = await context.db.find(intent, { intentId });
  if (!filled) return unknownRow("intent", intentId);
  await context.db.update(intent, { intentId }).set({ status: "FILLED" });
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
      latencyBlocks: event.block.number - filled.blockNumber,
      surplusOut: amountOut - filled.amountOutMin,
    },
  );
});

handle("IntentBook:IntentFillProof", async ({ event, context }) => {
  const { intentId, resultHash, traceHash, attestationId } = event.args;
  if (!(await context.db.find(fill, { intentId }))) return unknownRow("the fill of intent", intentId);
  await context.db.update(fill, { intentId }).set({ resultHash, traceHash, attestationId });
});
