import type { Context } from "ponder:registry";
import { commerceVolume, type volumeDimensions } from "ponder:schema";
import { type Address, zeroAddress } from "viem";
import { addTo } from "./add-to";

type Dimension = (typeof volumeDimensions)[number];

type Settled = {
  token: Address;
  merchantId: bigint;
  serviceNumericId: bigint;
  facilitator: Address;
  paymentRail: number;
  amount: bigint;
  protocolFeeAmount: bigint;
};

/** Adds a receipt to the volume of its token, merchant, service, payment rail and, if it has one, facilitator. */
export async function recordVolume(db: Context["db"], settled: Settled): Promise<void> {
  const keys: { dimension: Dimension; key: string }[] = [
    { dimension: "token", key: settled.token },
    { dimension: "merchant", key: String(settled.merchantId) },
    { dimension: "service", key: String(settled.serviceNumericId) },
    { dimension: "payment_rail", key: String(settled.paymentRail) },
  ];
  if (settled.facilitator !== zeroAddress) keys.push({ dimension: "facilitator", key: settled.facilitator });
  const change = { receipts: 1, settledVolume: settled.amount, protocolFees: settled.protocolFeeAmount };
  await addTo(db, commerceVolume, keys, change);
}
