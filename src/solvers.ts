import { solver } from "ponder:schema";
import type { Handlers } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";

export const solvers: Handlers<"SolverRegistry"> = {
  async SolverRegistered({ event, context }) {
    const { solverId, operator, metadataURI, capabilitiesHash, bond } = event.args;
    await context.db.insert(solver).values({
      solverId,
      operator,
      metadataUri: cleanText(metadataURI),
      capabilitiesHash,
      bond,
      active: true,
      blockNumber: event.block.number,
    });
  },

  async SolverUpdated({ event, context }) {
    const { solverId, metadataURI, capabilitiesHash, active } = event.args;
    const update = context.db
      .update(solver, { solverId })
      .set({ metadataUri: cleanText(metadataURI), capabilitiesHash, active });
    await known(update, "solver", solverId);
  },

  async SolverBondChanged({ event, context }) {
    const { solverId, bond } = event.args;
    const update = context.db.update(solver, { solverId }).set({ bond });
    await known(update, "solver", solverId);
  },
};
