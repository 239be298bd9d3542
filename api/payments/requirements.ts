import type { PaymentRequirements } from "@x402/core/types";
import { type Terms, unitsOf } from "../../config/terms";

/** Validity of a signed payment. A client can also retry for a lost response within this time. */
const VALID_SECONDS = 300;

/** Converts the terms to x402 payment requirements. */
export function requirementsOf({ network, payTo, price, asset }: Terms): PaymentRequirements {
  const amount = unitsOf(price, asset.decimals);
  if (amount === null || amount === 0n)
    throw new Error(`${price} is not a valid price in ${asset.name}; set X402_PRICE`);
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
