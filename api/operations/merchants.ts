import { eq, getTableColumns } from "drizzle-orm";
import { merchant } from "../../ponder.schema";
import { address, flag } from "../core/inputs";
import { listOperation } from "../core/list";
import { z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { recordOperation } from "./resource-metadata";
import { runningTotals } from "./running-totals";

export const Merchant = z
  .strictObject({
    merchant_id: uintText,
    owner: addressText,
    payout_address: addressText,
    metadata_uri: chainText,
    metadata_hash: hashText,
    active: z.boolean(),
    block_number: uintText,
  })
  .openapi("Merchant");

export const merchantToWire = (row: typeof merchant.$inferSelect): z.input<typeof Merchant> => ({
  merchant_id: String(row.merchantId),
  owner: row.owner,
  payout_address: row.payoutAddress,
  metadata_uri: row.metadataUri,
  metadata_hash: row.metadataHash,
  active: row.active,
  block_number: String(row.blockNumber),
});

const getMerchant = recordOperation({
  route: "GET /merchants/{id}",
  summary: "One merchant by its id.",
  subject: "merchant",
  item: Merchant,
  name: "MerchantRecord",
  idName: "id",
  query: (db, { id }, metadata) =>
    db
      .select({ ...getTableColumns(merchant), ...metadata })
      .from(merchant)
      .where(eq(merchant.merchantId, id)),
  toWire: merchantToWire,
});

const listMerchants = listOperation({
  route: "GET /merchants",
  summary: "Merchants, by id.",
  name: "merchants",
  item: Merchant,
  filters: { owner: address.optional(), active: flag.optional() },
  example: { active: "true" },
  dependsOn: ["index"],
  query: (db: Selectable) => db.select().from(merchant).$dynamic(),
  rows: merchant,
  where: ({ owner, active }) => [
    owner && eq(merchant.owner, owner),
    active === undefined ? undefined : eq(merchant.active, active),
  ],
  orders: oldestFirst(merchant, "merchantId"),
  counted: runningTotals("merchants"),
  toWire: merchantToWire,
});

export const merchants = { get: getMerchant, list: listMerchants };
