import { and, eq, getTableColumns, or, sql } from "drizzle-orm";
import { disputeStatuses, merchant, paymentProofs, signalKinds, signalSubjects, total } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, flag, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { oldestFirst } from "../core/orders";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { includeInput, metadataField, metadataOf, storeIfIncluded, withMetadata } from "./resource-metadata";
import { SignalsOfKind } from "./trust-signals";

const Merchant = z
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

const toWire = (row: typeof merchant.$inferSelect): z.input<typeof Merchant> => ({
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
    return { ...toWire(row), ...metadataOf(row) };
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
  toWire,
});

const Reputation = z
  .strictObject({
    merchant: Merchant,
    commerce: z.strictObject({
      receipts: uintText,
      settled_volume: uintText,
      fulfilled_receipts: uintText,
      settlement_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `settlement`." }),
      facilitator_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `facilitator`." }),
      claim_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `claim`." }),
    }),
    disputes: z.strictObject({
      disputes: uintText,
      open_disputes: uintText,
      resolved_disputes: uintText,
      rejected_disputes: uintText,
    }),
    trust_signals_by_kind: z.array(SignalsOfKind),
  })
  .openapi("MerchantReputation");

type TotalKeys = { id: bigint; receipts: string; proofs: string[]; disputes: string[]; signals: string[] };

/** Selects a merchant with each of its totals, by their keys. */
const selectReputation = preparedQuery((db, { id, receipts, proofs, disputes, signals }: Placeholders<TotalKeys>) =>
  db
    .select({ merchant: getTableColumns(merchant), total: getTableColumns(total) })
    .from(merchant)
    .leftJoin(
      total,
      or(
        and(eq(total.subject, "receipts_by_merchant"), eq(total.key, receipts)),
        and(eq(total.subject, "receipts_by_payment_proof"), sql`${total.key} = ANY(${proofs}::text[])`),
        and(eq(total.subject, "disputes_by_merchant"), sql`${total.key} = ANY(${disputes}::text[])`),
        and(eq(total.subject, "signals_by_subject"), sql`${total.key} = ANY(${signals}::text[])`),
      ),
    )
    .where(eq(merchant.merchantId, id)),
);

const getReputation = operation({
  route: "GET /merchants/{id}/reputation",
  summary: "A merchant's reputation.",
  description: "Settled and fulfilled receipts, disputes and trust signals.",
  input: z.object({ id }),
  output: Reputation,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index"],
  async run({ db }, { id }) {
    const keyOf = (value: string) => `${id}-${value}`;
    const signalKey = (kind: number) => `${signalSubjects.indexOf("merchant")}-${id}-${kind}`;
    const rows = await selectReputation(db, {
      id,
      receipts: String(id),
      proofs: paymentProofs.map(keyOf),
      disputes: disputeStatuses.map(keyOf),
      signals: signalKinds.map((_, kind) => signalKey(kind)),
    });
    const [first] = rows;
    if (!first) throw new NotFound(`Merchant ${id} not found`);
    const totals = rows.flatMap(({ total: row }) => row ?? []);
    const receipts = totals.find(({ subject }) => subject === "receipts_by_merchant");
    const countOf = (key: string) => totals.find((row) => row.key === key)?.count ?? 0;
    const disputes = disputeStatuses.map((status) => countOf(keyOf(status)));
    const [open = 0, resolved = 0, rejected = 0] = disputes;
    return {
      merchant: toWire(first.merchant),
      commerce: {
        receipts: String(receipts?.count ?? 0),
        settled_volume: String(receipts?.volume ?? 0),
        fulfilled_receipts: String(receipts?.fulfilled ?? 0),
        settlement_receipts: String(countOf(keyOf("settlement"))),
        facilitator_receipts: String(countOf(keyOf("facilitator"))),
        claim_receipts: String(countOf(keyOf("claim"))),
      },
      disputes: {
        disputes: String(open + resolved + rejected),
        open_disputes: String(open),
        resolved_disputes: String(resolved),
        rejected_disputes: String(rejected),
      },
      trust_signals_by_kind: signalKinds
        .map((_, kind) => ({ kind, signals: String(countOf(signalKey(kind))) }))
        .filter(({ signals }) => signals !== "0"),
    };
  },
});

export const merchants = { get: getMerchant, list: listMerchants, reputation: getReputation };
