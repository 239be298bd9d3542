import { attestor } from "ponder:schema";
import type { Handlers } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";

export const attestors: Handlers<"AttestorRegistry"> = {
  async AttestorRegistered({ event, context }) {
    const { attestorId, operator, metadataURI, schemasHash } = event.args;
    await context.db.insert(attestor).values({
      attestorId,
      operator,
      metadataUri: cleanText(metadataURI),
      schemasHash,
      active: true,
      blockNumber: event.block.number,
    });
  },

  async AttestorUpdated({ event, context }) {
    const { attestorId, metadataURI, schemasHash, active } = event.args;
    const update = context.db
      .update(attestor, { attestorId })
      .set({ metadataUri: cleanText(metadataURI), schemasHash, active });
    await known(update, "attestor", attestorId);
  },
};
