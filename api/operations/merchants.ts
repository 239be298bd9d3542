import { and, eq, inArray, or } from "drizzle-orm";
import { disputeStatuses, merchant, signalKinds, signalSubjects, total } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, flag, id } from "../core/inputs";
import { countRows, listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { addressText, chainText, hashText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../index/database";
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

async function findMerchant(db: IndexDatabase, merchantId: bigint) {
  const [row] = await db.select().from(merchant).where(eq(merchant.merchantId, merchantId));
  if (!row) throw new NotFound(`Merchant ${merchantId} not found`);
  return toWire(row);
}

export const getMerchant = operation({
  route: "GET /merchants/{id}",
  summary: "One merchant by its id.",
  input: z.object({ id }),
  output: Merchant,
  errors: [404],
  example: { id: "1" },
  run: ({ db }, { id }) => findMerchant(db, id),
});

export const listMerchants = listOperation({
  route: "GET /merchants",
  summary: "Merchants, by id.",
  name: "merchants",
  item: Merchant,
  filters: { owner: address.optional(), active: flag.optional() },
  example: { active: "true" },
  query: (db: IndexDatabase) => db.select().from(merchant).$dynamic(),
  counting: (db) => countRows(db, merchant),
  where: ({ owner, active }) => [
    owner && eq(merchant.owner, owner),
    active === undefined ? undefined : eq(merchant.active, active),
  ],
  order: [{ column: merchant.merchantId, of: (row) => row.merchantId }],
  toWire,
});

const Reputation = z
  .strictObject({
    merchant: Merchant,
    commerce: z.strictObject({ receipts: uintText, settled_volume: uintText, fulfilled_receipts: uintText }),
    disputes: z.strictObject({
      disputes: uintText,
      open_disputes: uintText,
      resolved_disputes: uintText,
      rejected_disputes: uintText,
    }),
    trust_signals_by_kind: z.array(SignalsOfKind),
  })
  .openapi("MerchantReputation");

export const getReputation = operation({
  route: "GET /merchants/{id}/reputation",
  summary: "A merchant's reputation: settled and fulfilled receipts, disputes and trust signals.",
  input: z.object({ id }),
  output: Reputation,
  errors: [404],
  example: { id: "1" },
  async run({ db }, { id }) {
    const disputeKey = (status: string) => `${id}-${status}`;
    const signalKey = (kind: number) => `${signalSubjects.indexOf("merchant")}-${id}-${kind}`;
    const [found, totals] = await Promise.all([
      findMerchant(db, id),
      db
        .select()
        .from(total)
        .where(
          or(
            and(eq(total.subject, "receipts_by_merchant"), eq(total.key, String(id))),
            and(eq(total.subject, "disputes_by_merchant"), inArray(total.key, disputeStatuses.map(disputeKey))),
            and(
              eq(total.subject, "signals_by_subject"),
              inArray(
                total.key,
                signalKinds.map((_, kind) => signalKey(kind)),
              ),
            ),
          ),
        ),
    ]);
    const receipts = totals.find(({ subject }) => subject === "receipts_by_merchant");
    const countOf = (key: string) => totals.find((row) => row.key === key)?.count ?? 0;
    const disputes = disputeStatuses.map((status) => countOf(disputeKey(status)));
    const [open = 0, resolved = 0, rejected = 0] = disputes;
    return {
      merchant: found,
      commerce: {
        receipts: String(receipts?.count ?? 0),
        settled_volume: String(receipts?.volume ?? 0n),
        fulfilled_receipts: String(receipts?.marked ?? 0),
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
