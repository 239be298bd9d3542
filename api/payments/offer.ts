import type { PaymentRequired, PaymentRequirements, ResourceInfo } from "@x402/core/types";
import { declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { inputSchemaOf } from "../core/json-schema";
import type { Operation } from "../core/operation";

/** What a paid operation asks for, and what for. */
export type Offer = {
  resource: ResourceInfo;
  accepts: [PaymentRequirements];
  extensions: Record<string, unknown>;
};

type Offered = Pick<Operation, "route" | "summary" | "input"> & { example: Record<string, unknown> };

/**
 * Makes the offers of a paid operation, at the address by which a client knows the service. The Bazaar extension tells
 * those who list paid resources how it is called. What it answers is left to the discovery document: an offer has to fit
 * into a header.
 */
export function offersOf({ route, summary, input, example }: Offered, requirements: PaymentRequirements) {
  const discovery = { method: "GET" as const, input: example, inputSchema: inputSchemaOf(input) };
  const extensions = declareDiscoveryExtension(discovery);
  return (baseUrl: string): Offer => ({
    resource: {
      url: `${baseUrl}${route.replace("GET ", "")}`,
      description: summary,
      mimeType: "application/json",
      serviceName: "Intentry",
    },
    accepts: [requirements],
    extensions,
  });
}

/** The offer as the `payment-required` header holds it. */
export const paymentRequired = (offer: Offer, error: string): PaymentRequired => ({ x402Version: 2, error, ...offer });
