import { eq, getTableColumns } from "drizzle-orm";
import { service } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { flag, hash, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";
import { runningTotals } from "./running-totals";

const Service = z
  .strictObject({
    service_numeric_id: uintText,
    merchant_id: uintText,
    service_id: chainText.openapi({ description: "The merchant's name for the service.", example: "weather" }),
    metadata_uri: chainText,
    metadata_hash: hashText,
    capability_hash: hashText,
    active: z.boolean(),
    block_number: uintText,
  })
  .openapi("Service");

const toWire = (row: typeof service.$inferSelect): z.input<typeof Service> => ({
  service_numeric_id: String(row.serviceNumericId),
  merchant_id: String(row.merchantId),
  service_id: row.serviceId,
  metadata_uri: row.metadataUri,
  metadata_hash: row.metadataHash,
  capability_hash: row.capabilityHash,
  active: row.active,
  block_number: String(row.blockNumber),
});

const findService = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  db.select().from(service).where(eq(service.serviceNumericId, id)),
);

const findServiceWithMetadata = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  db
    .select({ ...getTableColumns(service), metadata: metadataField("service") })
    .from(service)
    .where(eq(service.serviceNumericId, id)),
);

const getService = operation({
  route: "GET /services/{id}",
  summary: "One service by its numeric id.",
  input: z.object({ id, ...includeInput }),
  output: withMetadata(Service, "ServiceRecord"),
  errors: [404],
  example: { id: "1" },
  dependsOn: storeIfIncluded("index"),
  async run(context, { id, include }) {
    const { db, config } = context;
    if (include) await context.store();
    const [row] = include
      ? await findServiceWithMetadata(db, { id, chainId: config.chainId })
      : await findService(db, { id });
    if (!row) throw new NotFound(`Service ${id} not found`);
    return { ...toWire(row), ...metadataOf(row) };
  },
});

const listServices = listOperation({
  route: "GET /services",
  summary: "Services, by id.",
  name: "services",
  item: Service,
  filters: { merchant_id: id.optional(), capability_hash: hash.optional(), active: flag.optional() },
  example: { merchant_id: "1" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(service).$dynamic(),
  rows: service,
  where: ({ merchant_id, capability_hash, active }) => [
    merchant_id === undefined ? undefined : eq(service.merchantId, merchant_id),
    capability_hash && eq(service.capabilityHash, capability_hash),
    active === undefined ? undefined : eq(service.active, active),
  ],
  orders: oldestFirst(service, "serviceNumericId"),
  counted: runningTotals("services"),
  toWire,
});

export const services = { get: getService, list: listServices };
