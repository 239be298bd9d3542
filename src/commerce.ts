import type { Context } from "ponder:registry";
import {
  commerceTotals,
  facilitator,
  merchant,
  merchantRecord,
  quote,
  receipt,
  service,
  signalKind,
  subjectSignals,
  trustSignal,
} from "ponder:schema";
import { zeroHash } from "viem";
import { addTo } from "./lib/add-to";
import { recordVolume } from "./lib/commerce-volume";
import { handle } from "./lib/handle";
import { known } from "./lib/known-row";
import { cleanText } from "./lib/text";

type TotalsChange = Omit<Partial<typeof commerceTotals.$inferInsert>, "id">;

const addToTotals = (db: Context["db"], change: TotalsChange) => addTo(db, commerceTotals, { id: "all" }, change);

/** How a count of active rows changes when one row's flag goes from `before` to `after`. */
const activeChange = (before: boolean, after: boolean) => Number(after) - Number(before);

handle("CommerceRegistry:MerchantRegistered", async ({ event, context }) => {
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
  await addToTotals(context.db, { merchants: 1, activeMerchants: 1 });
});

handle("CommerceRegistry:MerchantUpdated", async ({ event, context }) => {
  const { merchantId, payoutAddress, metadataURI, metadataHash, active } = event.args;
  let activeMerchants = 0;
  const update = context.db.update(merchant, { merchantId }).set((before) => {
    activeMerchants = activeChange(before.active, active);
    return { payoutAddress, metadataUri: cleanText(metadataURI), metadataHash, active };
  });
  await known(update, "merchant", merchantId);
  await addToTotals(context.db, { activeMerchants });
});

handle("CommerceRegistry:ServiceRegistered", async ({ event, context }) => {
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
  await addToTotals(context.db, { services: 1, activeServices: 1 });
});

handle("CommerceRegistry:ServiceUpdated", async ({ event, context }) => {
  const { serviceNumericId, metadataURI, metadataHash, capabilityHash, active } = event.args;
  let activeServices = 0;
  const update = context.db.update(service, { serviceNumericId }).set((before) => {
    activeServices = activeChange(before.active, active);
    return { metadataUri: cleanText(metadataURI), metadataHash, capabilityHash, active };
  });
  await known(update, "service", serviceNumericId);
  await addToTotals(context.db, { activeServices });
});

handle("CommerceRegistry:FacilitatorRegistered", async ({ event, context }) => {
  const { facilitatorId, facilitator: address, metadataURI, metadataHash } = event.args;
  const now = { metadataUri: cleanText(metadataURI), metadataHash, active: true };
  let change = { facilitators: 1, activeFacilitators: 1 };
  await context.db
    .insert(facilitator)
    .values({ facilitatorId, facilitator: address, ...now, blockNumber: event.block.number })
    .onConflictDoUpdate((before) => {
      change = { facilitators: 0, activeFacilitators: activeChange(before.active, true) };
      return now;
    });
  await addToTotals(context.db, change);
});

handle("CommerceRegistry:FacilitatorUpdated", async ({ event, context }) => {
  const { facilitatorId, metadataURI, metadataHash, active } = event.args;
  let activeFacilitators = 0;
  const update = context.db.update(facilitator, { facilitatorId }).set((before) => {
    activeFacilitators = activeChange(before.active, active);
    return { metadataUri: cleanText(metadataURI), metadataHash, active };
  });
  await known(update, "facilitator", facilitatorId);
  await addToTotals(context.db, { activeFacilitators });
});

handle("CommerceRegistry:QuoteCommitted", async ({ event, context }) => {
  const { amount, protocolFeeAmount } = event.args;
  let change: TotalsChange = { quotes: 1, quotedVolume: amount, quotedProtocolFees: protocolFeeAmount };
  await context.db
    .insert(quote)
    .values({ ...event.args, settled: false, logIndex: event.log.logIndex, blockNumber: event.block.number })
    .onConflictDoUpdate((before) => {
      change = { settledQuotes: before.settled ? -1 : 0 };
      return { settled: false };
    });
  await addToTotals(context.db, change);
});

handle("CommerceRegistry:ReceiptRecorded", async ({ event, context }) => {
  const { quoteHash, merchantId, amount, protocolFeeAmount } = event.args;
  const fulfillmentHash = event.args.fulfillmentHash === zeroHash ? null : event.args.fulfillmentHash;
  await context.db.insert(receipt).values({
    ...event.args,
    fulfillmentHash,
    settledAt: event.block.timestamp,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
  await recordVolume(context.db, event.args);
  if (fulfillmentHash !== null) await addTo(context.db, merchantRecord, { merchantId }, { fulfilledReceipts: 1 });

  let settledQuotes = 0;
  const settlement = context.db.update(quote, { quoteHash }).set(({ settled }) => {
    settledQuotes = settled ? 0 : 1;
    return { settled: true };
  });
  await known(settlement, "quote", quoteHash);
  await addToTotals(context.db, {
    receipts: 1,
    settledVolume: amount,
    settledProtocolFees: protocolFeeAmount,
    settledQuotes,
  });
});

handle("CommerceRegistry:FulfillmentRecorded", async ({ event, context }) => {
  const { receiptId, fulfillmentHash } = event.args;
  let first = false;
  const update = context.db.update(receipt, { receiptId }).set((before) => {
    first = before.fulfillmentHash === null;
    return { fulfillmentHash };
  });
  const fulfilled = await known(update, "receipt", receiptId);
  if (fulfilled && first)
    await addTo(context.db, merchantRecord, { merchantId: fulfilled.merchantId }, { fulfilledReceipts: 1 });
});

handle("CommerceRegistry:TrustSignalRecorded", async ({ event, context }) => {
  const { subjectId } = event.args;
  const [subjectType, kind] = [BigInt(event.args.subjectType), BigInt(event.args.kind)];
  await context.db.insert(trustSignal).values({ ...event.args, blockNumber: event.block.number });
  await addTo(context.db, subjectSignals, { subjectType, subjectId, kind }, { signals: 1 });
  await addTo(context.db, signalKind, { kind }, { signals: 1 });
});
