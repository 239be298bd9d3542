import { eq, getTableColumns } from "drizzle-orm";
import { facilitator } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { flag, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";
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

const findFacilitator = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  db.select().from(facilitator).where(eq(facilitator.facilitatorId, id)),
);

const findFacilitatorWithMetadata = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  db
    .select({ ...getTableColumns(facilitator), metadata: metadataField("facilitator") })
    .from(facilitator)
    .where(eq(facilitator.facilitatorId, id)),
);

const getFacilitator = operation({
  route: "GET /facilitators/{id}",
  summary: "One payment facilitator by its id.",
  input: z.object({ id, ...includeInput }),
  output: withMetadata(Facilitator, "FacilitatorRecord"),
  errors: [404],
  example: { id: "1" },
  dependsOn: storeIfIncluded("index"),
  async run(context, { id, include }) {
    const { db, config } = context;
    if (include) await context.store();
    const [row] = include
      ? await findFacilitatorWithMetadata(db, { id, chainId: config.chainId })
      : await findFacilitator(db, { id });
    if (!row) throw new NotFound(`Facilitator ${id} not found`);
    return { ...toWire(row), ...metadataOf(row) };
  },
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
