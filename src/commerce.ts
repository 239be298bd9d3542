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
import { cleanText } from "./lib/text";
import { unknownRow } from "./lib/unknown-row";

const addToTotals = (db: Context["db"], change: Omit<Partial<typeof commerceTotals.$inferInsert>, "id">) =>
  addTo(db, commerceTotals, { id: "all" }, change);

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
    txHash: event.transaction.hash,
  });
  await addToTotals(context.db, { merchants: 1, activeMerchants: 1 });
});

handle("CommerceRegistry:MerchantUpdated", async ({ event, context }) => {
  const { merchantId, payoutAddress, metadataURI, metadataHash, active } = event.args;
  const before = await context.db.find(merchant, { merchantId });
  if (!before) return unknownRow("merchant", merchantId);
  const activeMerchants = activeChange(before.active, active);
  await context.db
    .update(merchant, { merchantId })
    .set({ payoutAddress, metadataUri: cleanText(metadataURI), metadataHash, active });
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
    txHash: event.transaction.hash,
  });
  await addToTotals(context.db, { services: 1, activeServices: 1 });
});

handle("CommerceRegistry:ServiceUpdated", async ({ event, context }) => {
  const { serviceNumericId, metadataURI, metadataHash, capabilityHash, active } = event.args;
  const before = await context.db.find(service, { serviceNumericId });
  if (!before) return unknownRow("service", serviceNumericId);
  const activeServices = activeChange(before.active, active);
  await context.db
    .update(service, { serviceNumericId })
    .set({ metadataUri: cleanText(metadataURI), metadataHash, capabilityHash, active });
  await addToTotals(context.db, { activeServices });
});

handle("CommerceRegistry:FacilitatorRegistered", async ({ event, context }) => {
  const { facilitatorId, facilitator: address, metadataURI, metadataHash } = event.args;
  const before = await context.db.find(facilitator, { facilitatorId });
  const change = { facilitators: before ? 0 : 1, activeFacilitators: activeChange(before?.active ?? false, true) };
  const now = { metadataUri: cleanText(metadataURI), metadataHash, active: true };
  await context.db
    .insert(facilitator)
    .values({
      facilitatorId,
      facilitator: address,
      ...now,
      blockNumber: event.block.number,
      txHash: event.transaction.hash,
    })
    .onConflictDoUpdate(now);
  await addToTotals(context.db, change);
});

handle("CommerceRegistry:FacilitatorUpdated", async ({ event, context }) => {
  const { facilitatorId, metadataURI, metadataHash, active } = event.args;
  const before = await context.db.find(facilitator, { facilitatorId });
  if (!before) return unknownRow("facilitator", facilitatorId);
  const activeFacilitators = activeChange(before.active, active);
  await context.db
    .update(facilitator, { facilitatorId })
    .set({ metadataUri: cleanText(metadataURI), metadataHash, active });
  await addToTotals(context.db, { activeFacilitators });
});

handle("CommerceRegistry:QuoteCommitted", async ({ event, context }) => {
  const { quoteHash, amount, protocolFeeAmount } = event.args;
  const before = await context.db.find(quote, { quoteHash });
  if (before) {
    if (!before.settled) return;
    await context.db.update(quote, { quoteHash }).set({ settled: false });
    return addToTotals(context.db, { settledQuotes: -1 });
  }
  await context.db.insert(quote).values({
    ...event.args,
    settled: false,
    logIndex: event.log.logIndex,
    blockNumber: event.block.number,
    txHash: event.transaction.hash,
  });
  await addToTotals(context.db, { quotes: 1, quotedVolume: amount, quotedProtocolFees: protocolFeeAmount });
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
  await addToTotals(context.db, { receipts: 1, settledVolume: amount, settledProtocolFees: protocolFeeAmount });
  await recordVolume(context.db, event.args);
  if (fulfillmentHash !== null) await addTo(context.db, merchantRecord, { merchantId }, { fulfilledReceipts: 1 });

  const quoted = await context.db.find(quote, { quoteHash });
  if (!quoted) return unknownRow("quote", quoteHash);
  if (quoted.settled) return;
  await context.db.update(quote, { quoteHash }).set({ settled: true });
  await addToTotals(context.db, { settledQuotes: 1 });
});

handle("CommerceRegistry:FulfillmentRecorded", async ({ event, context }) => {
  const { receiptId, fulfillmentHash } = event.args;
  const fulfilled = await context.db.find(receipt, { receiptId });
  if (!fulfilled) return unknownRow("receipt", receiptId);
  const { merchantId, fulfillmentHash: before } = fulfilled;
  await context.db.update(receipt, { receiptId }).set({ fulfillmentHash });
  if (before === null) await addTo(context.db, merchantRecord, { merchantId }, { fulfilledReceipts: 1 });
});

handle("CommerceRegistry:TrustSignalRecorded", async ({ event, context }) => {
  const { subjectType, subjectId, kind } = event.args;
  await context.db
    .insert(trustSignal)
    .values({ ...event.args, blockNumber: event.block.number, txHash: event.transaction.hash });
  await addTo(context.db, subjectSignals, { subjectType, subjectId, kind }, { signals: 1 });
  await addTo(context.db, signalKind, { kind }, { signals: 1 });
});
