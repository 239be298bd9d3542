import { eq, getTableColumns } from "drizzle-orm";
import { facilitator } from "../../ponder.schema";
import { flag } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";
import { runningTotals } from "./running-totals";

const Facilitator = z
  .strictObject({
    facilitator_id: uintText,
    facilitator: addressText,
    metadata_uri: chainText,
    metadata_hash: hashText,
    active: z.boolean(),
    block_number: uintText,
  })
  .openapi("Facilitator");

const toWire = (row: typeof facilitator.$inferSelect): z.input<typeof Facilitator> => ({
  facilitator_id: String(row.facilitatorId),
  facilitator: row.facilitator,
  metadata_uri: row.metadataUri,
  metadata_hash: row.metadataHash,
  active: row.active,
  block_number: String(row.blockNumber),
});

const getFacilitator = recordOperation({
  route: "GET /facilitators/{id}",
  summary: "One payment facilitator by its id.",
  subject: "facilitator",
  item: Facilitator,
  name: "FacilitatorRecord",
  idName: "id",
  query: (db, { id }, metadata) =>
    db
      .select({ ...getTableColumns(facilitator), ...metadata })
      .from(facilitator)
      .where(eq(facilitator.facilitatorId, id)),
  toWire,
});

const listFacilitators = listOperation({
  route: "GET /facilitators",
  summary: "Payment facilitators, by id.",
  name: "facilitators",
  item: Facilitator,
  filters: { active: flag.optional() },
  example: { active: "true" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(facilitator).$dynamic(),
  rows: facilitator,
  where: ({ active }) => [active === undefined ? undefined : eq(facilitator.active, active)],
  orders: oldestFirst(facilitator, "facilitatorId"),
  counted: runningTotals("facilitators"),
  toWire,
});

export const facilitators = { get: getFacilitator, list: listFacilitators };
