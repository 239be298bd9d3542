import { eq, getTableColumns } from "drizzle-orm";
import { merchant } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, flag, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";
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

const findMerchant = preparedQuery((db, { id }: Placeholders<{ id: bigint }>) =>
  db.select().from(merchant).where(eq(merchant.merchantId, id)),
);

const findMerchantWithMetadata = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  db
    .select({ ...getTableColumns(merchant), metadata: metadataField("merchant") })
    .from(merchant)
    .where(eq(merchant.merchantId, id)),
);

const getMerchant = operation({
  route: "GET /merchants/{id}",
  summary: "One merchant by its id.",
  input: z.object({ id, ...includeInput }),
  output: withMetadata(Merchant, "MerchantRecord"),
  errors: [404],
  example: { id: "1" },
  dependsOn: storeIfIncluded("index"),
  async run(context, { id, include }) {
    const { db, config } = context;
    if (include) await context.store();
    const [row] = include
      ? await findMerchantWithMetadata(db, { id, chainId: config.chainId })
      : await findMerchant(db, { id });
    if (!row) throw new NotFound(`Merchant ${id} not found`);
    return { ...merchantToWire(row), ...metadataOf(row) };
  },
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
