import { and, eq, getTableColumns, isNotNull, isNull } from "drizzle-orm";
import { paymentProofs, paymentRails, receipt } from "../../ponder.schema";
import { BadInput, NotFound } from "../core/errors";
import { address, enumNumber, flag, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import { idsWithin, requireRange, timeRange } from "../core/time-range";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { document } from "../offchain/tables";
import { dollarField } from "../prices/value";
import { feeBps, PaymentRail } from "./quotes";
import { runningTotals } from "./running-totals";
import { dollarsAt } from "./trade-values";

const fields = {
  receipt_id: uintText,
  quote_hash: hashText,
  agent: addressText,
  merchant_id: uintText,
  service_numeric_id: uintText,
  token: addressText,
  amount: uintText,
  amount_usd: dollarsAt("settlement"),
  payment_rail: PaymentRail,
  protocol_fee_bps: feeBps,
  protocol_fee_amount: uintText,
  facilitator: addressText,
  result_hash: hashText,
  resource_hash: hashText,
  fulfillment_hash: hashText.nullable().openapi({ description: "Null until fulfilled." }),
  payment_proof: z.enum(paymentProofs).openapi({
    description:
      "How the payment is known. `settlement`: `result_hash` is the execution hash of a settlement of this quote, whose lines pay the merchant's payout address at least the amount in the token. `facilitator`: recorded by a registered facilitator that is neither the merchant nor the agent. `claim`: by a party's word only.",
    example: "claim",
  }),
  block_number: uintText,
  tx_hash: hashText,
  settled_at: timeText,
};

const Receipt = z.strictObject(fields).openapi("Receipt");

const ReceiptWithEvidence = z
  .strictObject({
    ...fields,
    fulfillment_evidence: z
      .strictObject({ evidence_hash: hashText, evidence_type: z.string(), uri: z.url() })
      .nullable()
      .openapi({
        description: "The document whose hash is `fulfillment_hash`, if it is published here.",
        example: null,
      }),
  })
  .openapi("ReceiptWithEvidence");

const receiptFields = {
  ...getTableColumns(receipt),
  amountUsd: dollarField(receipt.amount, receipt.token, receipt.settledAt),
};

const selectReceipts = (db: Selectable) => db.select(receiptFields).from(receipt).$dynamic();

type Row = Awaited<ReturnType<typeof selectReceipts>>[number];

const toWire = (row: Row): z.input<typeof Receipt> => ({
  receipt_id: String(row.receiptId),
  quote_hash: row.quoteHash,
  agent: row.agent,
  merchant_id: String(row.merchantId),
  service_numeric_id: String(row.serviceNumericId),
  token: row.token,
  amount: String(row.amount),
  amount_usd: row.amountUsd,
  payment_rail: row.paymentRail,
  protocol_fee_bps: row.protocolFeeBps,
  protocol_fee_amount: String(row.protocolFeeAmount),
  facilitator: row.facilitator,
  result_hash: row.resultHash,
  resource_hash: row.resourceHash,
  fulfillment_hash: row.fulfillmentHash,
  payment_proof: row.paymentProof,
  block_number: String(row.blockNumber),
  tx_hash: row.txHash,
  settled_at: String(row.settledAt),
});

const isEvidence = and(eq(document.kind, "fulfillment-evidence"), eq(document.hash, receipt.fulfillmentHash));

const findReceipt = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  db
    .select({ ...receiptFields, evidenceType: document.evidenceType })
    .from(receipt)
    .leftJoin(document, isEvidence)
    .where(eq(receipt.receiptId, id)),
);

const getReceipt = operation({
  route: "GET /receipts/{id}",
  summary: "One settled payment by its id.",
  input: z.object({ id }),
  output: ReceiptWithEvidence,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index", "store", "baseUrl"],
  async run({ db, store, config: { chainId } }, { id }, { baseUrl }) {
    await store();
    const [row] = await findReceipt(db, { id, chainId });
    if (!row) throw new NotFound(`Receipt ${id} not found`);
    const { evidenceType, ...found } = row;
    const { fulfillmentHash: evidence_hash } = found;
    return {
      ...toWire(found),
      fulfillment_evidence:
        evidence_hash === null || evidenceType === null
          ? null
          : { evidence_hash, evidence_type: evidenceType, uri: `${baseUrl}/fulfillment-evidence/${evidence_hash}` },
    };
  },
});

const listReceipts = listOperation({
  route: "GET /receipts",
  summary: "Settled payments, newest first.",
  description: "`sort=amount` requires `token`, and the largest is first.",
  name: "receipts",
  item: Receipt,
  filters: {
    agent: address.optional(),
    merchant_id: id.optional(),
    service_id: id.optional(),
    facilitator: address.optional(),
    token: address.optional(),
    payment_rail: enumNumber(paymentRails).optional(),
    fulfilled: flag.optional(),
    ...timeRange("settled"),
  },
  variants: ["fulfilled"],
  example: { merchant_id: "1" },
  dependsOn: ["index", "store"],
  query: selectReceipts,
  rows: receipt,
  where: ({ agent, merchant_id, service_id, facilitator, token, payment_rail, fulfilled, from, to }) => [
    agent && eq(receipt.agent, agent),
    merchant_id === undefined ? undefined : eq(receipt.merchantId, merchant_id),
    service_id === undefined ? undefined : eq(receipt.serviceNumericId, service_id),
    facilitator && eq(receipt.facilitator, facilitator),
    token && eq(receipt.token, token),
    payment_rail === undefined ? undefined : eq(receipt.paymentRail, payment_rail),
    fulfilled === undefined ? undefined : (fulfilled ? isNotNull : isNull)(receipt.fulfillmentHash),
    ...idsWithin(receipt, receipt.receiptId, receipt.settledAt, { from, to }),
  ],
  orders: {
    ...newestFirst(receipt, "receiptId"),
    amount: [
      { column: receipt.amount, descending: true, of: (row) => row.amount },
      { column: receipt.receiptId, descending: true, of: (row) => row.receiptId },
    ],
  },
  // Receipts without a facilitator have no total by it.
  counted: runningTotals("receipts_by_payment_rail", {
    merchant_id: "receipts_by_merchant",
    service_id: "receipts_by_service",
    token: "receipts_by_token",
    payment_rail: "receipts_by_payment_rail",
  }),
  check(_, { sort, token, ...range }) {
    requireRange(range);
    if (sort === "amount" && token === undefined)
      throw new BadInput("token: is required for sort=amount, because amounts of different tokens can't be compared");
  },
  toWire,
});

export const receipts = { get: getReceipt, list: listReceipts };
