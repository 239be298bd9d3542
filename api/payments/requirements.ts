import type { PaymentRequirements } from "@x402/core/types";
import { type Terms, unitsOf } from "../../config/terms";

/** How long a payment is good for once it is signed: also the time in which an answer that got lost can be asked for again. */
const VALID_SECONDS = 300;

/** The terms as x402 writes them. */
export function requirementsOf({ network, payTo, price, asset }: Terms): PaymentRequirements {
  const amount = unitsOf(price, asset.decimals);
  if (amount === null || amount === 0n) throw new Error(`${price} is no price in ${asset.name}`);
  return {
    scheme: "exact",
    network,
    amount: String(amount),
    asset: asset.address,
    payTo,
    maxTimeoutSeconds: VALID_SECONDS,
    extra: { name: asset.name, version: asset.version },
  };
}
