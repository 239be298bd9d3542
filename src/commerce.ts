import type { Context } from "ponder:registry";
import { facilitator, merchant, quote, receipt, service, total, type totalSubjects, trustSignal } from "ponder:schema";
import { type Address, zeroAddress, zeroHash } from "viem";
import { disputes } from "./disputes";
import { addVolume, countActivity } from "./lib/activity";
import { addTo } from "./lib/add-to";
import type { Handlers } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";
import { countReceipt, isSelfDealt } from "./participants";
import { proveReceipt } from "./payment-proof";

type Subject = (typeof totalSubjects)[number];

type Change = Omit<Partial<typeof total.$inferInsert>, "subject" | "key">;

/** Adds to the overall total of a subject, whose key is empty. */
const addToAll = (db: Context["db"], subject: Subject, change: Change) =>
  addTo(db, total, { subject, key: "" }, change);

const receiptsOfMerchant = (merchantId: bigint) =>
  ({ subject: "receipts_by_merchant", key: String(merchantId) }) as const;

const receiptsOfService = (serviceNumericId: bigint) =>
  ({ subject: "receipts_by_service", key: String(serviceNumericId) }) as const;

/** The totals that count a receipt as fulfilled. */
const totalsOfFulfilled = ({ merchantId, serviceNumericId }: Pick<Settled, "merchantId" | "serviceNumericId">) => [
  receiptsOfMerchant(merchantId),
  receiptsOfService(serviceNumericId),
];

type Settled = {
  token: Address;
  merchantId: bigint;
  serviceNumericId: bigint;
  facilitator: Address;
  paymentRail: number;
};

/** The totals that include a receipt: by token, merchant, service, payment rail and, if it has one, facilitator. */
function totalsOfReceipt({ token, merchantId, serviceNumericId, facilitator, paymentRail }: Settled) {
  const keys: { subject: Subject; key: string }[] = [
    { subject: "receipts_by_token", key: token },
    receiptsOfMerchant(merchantId),
    receiptsOfService(serviceNumericId),
    { subject: "receipts_by_payment_rail", key: String(paymentRail) },
  ];
  if (facilitator !== zeroAddress) keys.push({ subject: "receipts_by_facilitator", key: facilitator });
  return keys;
}

/** The change in the number of active rows when one row's flag goes from `before` to `after`. */
const activeChange = (before: boolean, after: boolean) => Number(after) - Number(before);

export const commerce: Handlers<"CommerceRegistry"> = {
  async MerchantRegistered({ event, context }) {
    const { merchantId, owner, payoutAddress, metadataURI, metadataHash } = event.args;
    await context.db.insert(merchant).values({
      merchantId,
      owner,
      payoutAddress,
      metadataUri: cleanText(metadataURI),
      metadataHash,
      active: true,
      blockNumber: event.block.number,
    });
    await addToAll(context.db, "merchants", { count: 1, active: 1 });
    await countActivity({ event, context }, "merchants");
  },

  async MerchantUpdated({ event, context }) {
    const { merchantId, payoutAddress, metadataURI, metadataHash, active } = event.args;
    let change = 0;
    const update = context.db.update(merchant, { merchantId }).set((before) => {
      change = activeChange(before.active, active);
      return { payoutAddress, metadataUri: cleanText(metadataURI), metadataHash, active };
    });
    await known(update, "merchant", merchantId);
    await addToAll(context.db, "merchants", { active: change });
  },

  async ServiceRegistered({ event, context }) {
    const { serviceNumericId, merchantId, serviceId, metadataURI, metadataHash, capabilityHash } = event.args;
    await context.db.insert(service).values({
      serviceNumericId,
      merchantId,
      serviceId: cleanText(serviceId),
      metadataUri: cleanText(metadataURI),
      metadataHash,
      capabilityHash,
      active: true,
      blockNumber: event.block.number,
    });
    await addToAll(context.db, "services", { count: 1, active: 1 });
    await countActivity({ event, context }, "services");
  },

  async ServiceUpdated({ event, context }) {
    const { serviceNumericId, metadataURI, metadataHash, capabilityHash, active } = event.args;
    let change = 0;
    const update = context.db.update(service, { serviceNumericId }).set((before) => {
      change = activeChange(before.active, active);
      return { metadataUri: cleanText(metadataURI), metadataHash, capabilityHash, active };
    });
    await known(update, "service", serviceNumericId);
    await addToAll(context.db, "services", { active: change });
  },

  async FacilitatorRegistered({ event, context }) {
    const { facilitatorId, facilitator: address, metadataURI, metadataHash } = event.args;
    const now = { metadataUri: cleanText(metadataURI), metadataHash, active: true };
    let change = { count: 1, active: 1 };
    await context.db
      .insert(facilitator)
      .values({ facilitatorId, facilitator: address, ...now, blockNumber: event.block.number })
      .onConflictDoUpdate((before) => {
        change = { count: 0, active: activeChange(before.active, true) };
        return now;
      });
    await addToAll(context.db, "facilitators", change);
  },

  async FacilitatorUpdated({ event, context }) {
    const { facilitatorId, metadataURI, metadataHash, active } = event.args;
    let change = 0;
    const update = context.db.update(facilitator, { facilitatorId }).set((before) => {
      change = activeChange(before.active, active);
      return { metadataUri: cleanText(metadataURI), metadataHash, active };
    });
    await known(update, "facilitator", facilitatorId);
    await addToAll(context.db, "facilitators", { active: change });
  },

  async QuoteCommitted({ event, context }) {
    const { amount, protocolFeeAmount } = event.args;
    let change: Change = { count: 1, volume: amount, protocolFees: protocolFeeAmount };
    await context.db
      .insert(quote)
      .values({
        ...event.args,
        settled: false,
        committedAt: event.block.timestamp,
        logIndex: event.log.logIndex,
        blockNumber: event.block.number,
      })
      .onConflictDoUpdate((before) => {
        change = { settled: before.settled ? -1 : 0 };
        return { settled: false };
      });
    await addToAll(context.db, "quotes", change);
  },

  async ReceiptRecorded({ event, context }) {
    const { quoteHash, merchantId, agent, token, amount, protocolFeeAmount } = event.args;
    const fulfillmentHash = event.args.fulfillmentHash === zeroHash ? null : event.args.fulfillmentHash;
    const seller = await context.db.find(merchant, { merchantId });
    const paymentProof = await proveReceipt(context.db, event.args, seller);
    await context.db.insert(receipt).values({
      ...event.args,
      fulfillmentHash,
      paymentProof,
      settledAt: event.block.timestamp,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    });
    const change = { count: 1, volume: amount, protocolFees: protocolFeeAmount };
    await addTo(context.db, total, totalsOfReceipt(event.args), change);
    if (fulfillmentHash !== null) await addTo(context.db, total, totalsOfFulfilled(event.args), { fulfilled: 1 });

    await countReceipt({ event, context }, event.args, { paymentProof, isSelf: isSelfDealt(agent, seller) });

    let newlySettled = 0;
    const settlement = context.db.update(quote, { quoteHash }).set(({ settled }) => {
      newlySettled = settled ? 0 : 1;
      return { settled: true };
    });
    await known(settlement, "quote", quoteHash);
    await addToAll(context.db, "quotes", { settled: newlySettled });
    await countActivity({ event, context }, "receipts");
    await addVolume({ event, context }, "receipt_volume", token, amount);
  },

  async FulfillmentRecorded({ event, context }) {
    const { receiptId, fulfillmentHash } = event.args;
    let first = false;
    const update = context.db.update(receipt, { receiptId }).set((before) => {
      first = before.fulfillmentHash === null;
      return { fulfillmentHash };
    });
    const fulfilled = await known(update, "receipt", receiptId);
    if (fulfilled && first) await addTo(context.db, total, totalsOfFulfilled(fulfilled), { fulfilled: 1 });
  },

  async TrustSignalRecorded({ event, context }) {
    const { subjectType, subjectId, kind } = event.args;
    await context.db.insert(trustSignal).values({ ...event.args, blockNumber: event.block.number });
    const keys = [
      { subject: "signals_by_kind", key: String(kind) },
      { subject: "signals_by_subject", key: `${subjectType}-${subjectId}-${kind}` },
    ] as const;
    await addTo(context.db, total, keys, { count: 1 });
  },

  ...disputes,
};
