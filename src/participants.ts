import { attestor, solver } from "ponder:schema";
import { handle } from "./lib/handle";
import { cleanText } from "./lib/text";
import { unknownRow } from "./lib/unknown-row";

handle("AttestorRegistry:AttestorRegistered", async ({ event, context }) => {
  const { attestorId, operator, metadataURI, schemasHash } = event.args;
  await context.db.insert(attestor).values({
    attestorId,
    operator,
    metadataUri: cleanText(metadataURI),
    schemasHash,
    active: true,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
});

handle("AttestorRegistry:AttestorUpdated", async ({ event, context }) => {
  const { attestorId, metadataURI, schemasHash, active } = event.args;
  if (!(await context.db.find(attestor, { attestorId }))) return unknownRow("attestor", attestorId);
  await context.db.update(attestor, { attestorId }).set({ metadataUri: cleanText(metadataURI), schemasHash, active });
});

handle("SolverRegistry:SolverRegistered", async ({ event, context }) => {
  const { solverId, operator, metadataURI, capabilitiesHash, bond } = event.args;
  await context.db.insert(solver).values({
    solverId,
    operator,
    metadataUri: cleanText(metadataURI),
    capabilitiesHash,
    bond,
    active: true,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
});

handle("SolverRegistry:SolverUpdated", async ({ event, context }) => {
  const { solverId, metadataURI, capabilitiesHash, active } = event.args;
  if (!(await context.db.find(solver, { solverId }))) return unknownRow("solver", solverId);
  await context.db.update(solver, { solverId }).set({ metadataUri: cleanText(metadataURI), capabilitiesHash, active });
});

handle("SolverRegistry:SolverBondChanged", async ({ event, context }) => {
  const { solverId, bond } = event.args;
  if (!(await context.db.find(solver, { solverId }))) return unknownRow("solver", solverId);
  await context.db.update(solver, { solverId }).set({ bond });
});
