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
  const keys: [Dimension, string][] = [
    ["token", settled.token],
    ["merchant", String(settled.merchantId)],
    ["service", String(settled.serviceNumericId)],
    ["payment_rail", String(settled.paymentRail)],
  ];
  if (settled.facilitator !== zeroAddress) keys.push(["facilitator", settled.facilitator]);
  const change = { receipts: 1, settledVolume: settled.amount, protocolFees: settled.protocolFeeAmount };
  for (const [dimension, key] of keys) await addTo(db, commerceVolume, { dimension, key }, change);
}
