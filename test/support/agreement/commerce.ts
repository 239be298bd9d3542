import { zeroAddress } from "viem";
import type { Row } from "../index-of";
import {
  allOf,
  blockOf,
  byId,
  type Chain,
  inChunks,
  known,
  lower,
  originOf,
  type Rows,
  unless,
  withoutNul,
} from "./chain";
import { provenReceipts, settlementRows } from "./settlements";

async function partyRows({ client, read, events }: Chain): Promise<Rows<"merchant" | "service" | "facilitator">> {
  const from = events("CommerceRegistry");
  const merchants = await allOf((id) => unless("MerchantNotFound", read("CommerceRegistry", "getMerchant", [id])));
  const services = await allOf((id) => unless("ServiceNotFound", read("CommerceRegistry", "getService", [id])));
  const facilitators = await allOf((id) =>
    unless("FacilitatorNotFound", read("CommerceRegistry", "getFacilitator", [id])),
  );
  const merchantLogs = byId(
    await client.getContractEvents({ ...from, eventName: "MerchantRegistered" }),
    ({ args }) => args.merchantId,
  );
  const serviceLogs = byId(
    await client.getContractEvents({ ...from, eventName: "ServiceRegistered" }),
    ({ args }) => args.serviceNumericId,
  );
  // A facilitator can be registered again. Its first registration counts.
  const facilitatorLogs = byId(
    (await client.getContractEvents({ ...from, eventName: "FacilitatorRegistered" })).reverse(),
    ({ args }) => args.facilitatorId,
  );
  return {
    merchant: merchants.map(({ id, value }) => ({
      merchantId: String(id),
      owner: lower(value.owner),
      payoutAddress: lower(value.payoutAddress),
      metadataUri: withoutNul(value.metadataURI),
      metadataHash: value.metadataHash,
      active: value.active,
      ...blockOf(known(merchantLogs, id)),
    })),
    service: services.map(({ id, value }) => ({
      serviceNumericId: String(id),
      merchantId: String(value.merchantId),
      serviceId: withoutNul(value.serviceId),
      metadataUri: withoutNul(value.metadataURI),
      metadataHash: value.metadataHash,
      capabilityHash: value.capabilityHash,
      active: value.active,
      ...blockOf(known(serviceLogs, id)),
    })),
    facilitator: facilitators.map(({ id, value }) => ({
      facilitatorId: String(id),
      facilitator: lower(value.facilitator),
      metadataUri: withoutNul(value.metadataURI),
      metadataHash: value.metadataHash,
      active: value.active,
      ...blockOf(known(facilitatorLogs, id)),
    })),
  };
}

async function quoteRows({ client, read, events, timeOf }: Chain): Promise<Row<"quote">[]> {
  const committed = await client.getContractEvents({ ...events("CommerceRegistry"), eventName: "QuoteCommitted" });
  // A quote keeps the position of its first commitment.
  const first = [...byId(committed.reverse(), ({ args }) => args.quoteHash).values()];
  return inChunks(first, async (log) => {
    const { quoteHash } = log.args;
    const quote = await read("CommerceRegistry", "getQuote", [quoteHash]);
    return {
      quoteHash,
      merchantId: String(quote.merchantId),
      serviceNumericId: String(quote.serviceNumericId),
      agent: lower(quote.agent),
      token: lower(quote.token),
      facilitator: lower(quote.facilitator),
      amount: String(quote.amount),
      paymentRail: quote.paymentRail,
      protocolFeeBps: quote.protocolFeeBps,
      protocolFeeAmount: String(quote.protocolFeeAmount),
      expiresAt: String(quote.expiresAt),
      paymentNonce: String(quote.paymentNonce),
      resourceHash: quote.resourceHash,
      termsHash: quote.termsHash,
      x402PayloadHash: quote.x402PayloadHash,
      committedAt: timeOf(log.blockNumber),
      settled: quote.settled,
      logIndex: log.logIndex,
      ...blockOf(log),
    };
  });
}

async function receiptRows({ client, read, events, timeOf }: Chain): Promise<Omit<Row<"receipt">, "paymentProof">[]> {
  const from = events("CommerceRegistry");
  const receipts = await allOf((id) => unless("ReceiptNotFound", read("CommerceRegistry", "getReceipt", [id])));
  const recorded = byId(
    await client.getContractEvents({ ...from, eventName: "ReceiptRecorded" }),
    ({ args }) => args.receiptId,
  );
  // The zero hash is a valid fulfillment, so only the events show whether there was one.
  const fulfilled = byId(
    await client.getContractEvents({ ...from, eventName: "FulfillmentRecorded" }),
    ({ args }) => args.receiptId,
  );
  return receipts.map(({ id, value }) => ({
    receiptId: String(id),
    quoteHash: value.quoteHash,
    agent: lower(value.agent),
    merchantId: String(value.merchantId),
    serviceNumericId: String(value.serviceNumericId),
    token: lower(value.token),
    amount: String(value.amount),
    paymentRail: value.paymentRail,
    protocolFeeBps: value.protocolFeeBps,
    protocolFeeAmount: String(value.protocolFeeAmount),
    facilitator: lower(value.facilitator),
    resultHash: value.resultHash,
    resourceHash: value.resourceHash,
    fulfillmentHash: fulfilled.has(id) ? value.fulfillmentHash : null,
    settledAt: timeOf(known(recorded, id).blockNumber),
    ...originOf(known(recorded, id)),
  }));
}

const disputeStatuses = ["OPEN", "RESOLVED", "REJECTED"] as const;

async function disputeRows(
  { client, read, events }: Chain,
  receipts: readonly Pick<Row<"receipt">, "receiptId" | "merchantId" | "serviceNumericId">[],
): Promise<Row<"dispute">[]> {
  const disputes = await allOf((id) => unless("DisputeNotFound", read("CommerceRegistry", "getDispute", [id])));
  const opened = byId(
    await client.getContractEvents({ ...events("CommerceRegistry"), eventName: "DisputeOpened" }),
    ({ args }) => args.disputeId,
  );
  const merchants = new Map(receipts.map(({ receiptId, merchantId }) => [receiptId, merchantId]));
  const services = new Map(receipts.map(({ receiptId, serviceNumericId }) => [receiptId, serviceNumericId]));
  return disputes.map(({ id, value }) => {
    const status = known(new Map(disputeStatuses.entries()), value.status);
    return {
      disputeId: String(id),
      receiptId: String(value.receiptId),
      merchantId: known(merchants, String(value.receiptId)),
      serviceNumericId: known(services, String(value.receiptId)),
      status,
      opener: lower(value.opener),
      reasonHash: value.reasonHash,
      resolutionHash: status === "OPEN" ? null : value.resolutionHash,
      ...blockOf(known(opened, id)),
    };
  });
}

async function signalRows({ client, read, events }: Chain): Promise<Row<"trustSignal">[]> {
  const signals = await allOf(async (id) => {
    const signal = await read("CommerceRegistry", "getTrustSignal", [id]);
    return signal.reporter === zeroAddress ? null : signal;
  });
  const recorded = byId(
    await client.getContractEvents({ ...events("CommerceRegistry"), eventName: "TrustSignalRecorded" }),
    ({ args }) => args.signalId,
  );
  return signals.map(({ id, value }) => ({
    signalId: String(id),
    subjectType: value.subjectType,
    subjectId: String(value.subjectId),
    kind: value.kind,
    reporter: lower(value.reporter),
    signalHash: value.signalHash,
    ...blockOf(known(recorded, id)),
  }));
}

export type CommerceRows = Rows<
  | "merchant"
  | "service"
  | "facilitator"
  | "quote"
  | "receipt"
  | "settlementClaim"
  | "settlement"
  | "dispute"
  | "trustSignal"
>;

/** The rows of the CommerceRegistry and the SettlementAdapter. */
export async function commerceRows(chain: Chain): Promise<CommerceRows> {
  const receipts = await receiptRows(chain);
  const { settlement } = await settlementRows(chain);
  return {
    ...(await partyRows(chain)),
    quote: await quoteRows(chain),
    settlement,
    ...(await provenReceipts(chain, receipts, settlement)),
    dispute: await disputeRows(chain, receipts),
    trustSignal: await signalRows(chain),
  };
}
