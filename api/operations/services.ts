import { eq, getTableColumns } from "drizzle-orm";
import { service } from "../../ponder.schema";
import { flag, hash, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";
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

const getService = recordOperation({
  route: "GET /services/{id}",
  summary: "One service by its numeric id.",
  subject: "service",
  item: Service,
  name: "ServiceRecord",
  idName: "id",
  query: (db, { id }, metadata) =>
    db
      .select({ ...getTableColumns(service), ...metadata })
      .from(service)
      .where(eq(service.serviceNumericId, id)),
  toWire,
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
