import { zeroAddress } from "viem";
import { volumeDimensions } from "../../../ponder.schema";
import type { Row } from "../index-of";
import type { Rows } from "./chain";
import type { CommerceRows } from "./commerce";

const sumOf = (amounts: readonly string[]) => String(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n));

const countOf = <Item>(items: readonly Item[], fits: (item: Item) => boolean) => items.filter(fits).length;

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

const disputeCounts = (disputes: readonly Row<"dispute">[]) => ({
  disputes: disputes.length,
  openDisputes: countOf(disputes, ({ status }) => status === "OPEN"),
  resolvedDisputes: countOf(disputes, ({ status }) => status === "RESOLVED"),
  rejectedDisputes: countOf(disputes, ({ status }) => status === "REJECTED"),
});

function totalsRows(rows: CommerceRows): Row<"commerceTotals">[] {
  const { merchant, service, facilitator, quote, receipt, dispute } = rows;
  if (merchant.length + facilitator.length === 0) return [];
  return [
    {
      id: "all",
      merchants: merchant.length,
      activeMerchants: countOf(merchant, ({ active }) => active),
      services: service.length,
      activeServices: countOf(service, ({ active }) => active),
      facilitators: facilitator.length,
      activeFacilitators: countOf(facilitator, ({ active }) => active),
      quotes: quote.length,
      settledQuotes: countOf(quote, ({ settled }) => settled),
      quotedVolume: sumOf(quote.map(({ amount }) => amount)),
      quotedProtocolFees: sumOf(quote.map(({ protocolFeeAmount }) => protocolFeeAmount)),
      receipts: receipt.length,
      settledVolume: sumOf(receipt.map(({ amount }) => amount)),
      settledProtocolFees: sumOf(receipt.map(({ protocolFeeAmount }) => protocolFeeAmount)),
      ...disputeCounts(dispute),
    },
  ];
}

const volumeKeys: Record<Row<"commerceVolume">["dimension"], (receipt: Row<"receipt">) => string | null> = {
  token: ({ token }) => token,
  merchant: ({ merchantId }) => merchantId,
  service: ({ serviceNumericId }) => serviceNumericId,
  facilitator: ({ facilitator }) => (facilitator === zeroAddress ? null : facilitator),
  payment_rail: ({ paymentRail }) => String(paymentRail),
};

function volumeRows(receipts: Row<"receipt">[]): Row<"commerceVolume">[] {
  return volumeDimensions.flatMap((dimension) => {
    const keys = new Set(receipts.map(volumeKeys[dimension]));
    keys.delete(null);
    return [...keys].map((key) => {
      const own = receipts.filter((receipt) => volumeKeys[dimension](receipt) === key);
      return {
        dimension,
        key: key ?? "",
        receipts: own.length,
        settledVolume: sumOf(own.map(({ amount }) => amount)),
        protocolFees: sumOf(own.map(({ protocolFeeAmount }) => protocolFeeAmount)),
      };
    });
  });
}

function recordRows(receipts: Row<"receipt">[], disputes: Row<"dispute">[]): Row<"merchantRecord">[] {
  const fulfilled = receipts.filter(({ fulfillmentHash }) => fulfillmentHash !== null);
  const merchants = new Set([...fulfilled, ...disputes].map(({ merchantId }) => merchantId));
  return [...merchants].flatMap((merchantId) =>
    merchantId === null
      ? []
      : {
          merchantId,
          fulfilledReceipts: countOf(fulfilled, (receipt) => receipt.merchantId === merchantId),
          ...disputeCounts(disputes.filter((dispute) => dispute.merchantId === merchantId)),
        },
  );
}

/** Every running total, summed up anew from what the chain has. A total of nothing has no row. */
export function totalRows(
  commerce: CommerceRows,
): Rows<"commerceTotals" | "commerceVolume" | "merchantRecord" | "subjectSignals" | "signalKind"> {
  const { receipt, dispute, trustSignal } = commerce;
  const bySubject = groupBy(trustSignal, ({ subjectType, subjectId, kind }) => [subjectType, subjectId, kind].join());
  return {
    commerceTotals: totalsRows(commerce),
    commerceVolume: volumeRows(receipt),
    merchantRecord: recordRows(receipt, dispute),
    subjectSignals: bySubject.flatMap(([first, ...others]) => {
      if (!first) return [];
      const { subjectType, subjectId, kind } = first;
      return { subjectType: String(subjectType), subjectId, kind: String(kind), signals: 1 + others.length };
    }),
    signalKind: [0, 1, 2, 3]
      .map((kind) => ({ kind: String(kind), signals: countOf(trustSignal, (signal) => signal.kind === kind) }))
      .filter(({ signals }) => signals > 0),
  };
}
