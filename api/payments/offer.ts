import type { PaymentRequired, PaymentRequirements, ResourceInfo } from "@x402/core/types";
import { declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { inputSchemaOf } from "../core/json-schema";
import type { Operation } from "../core/operation";

/** The offer of a paid operation: the resource and its payment requirements. */
export type Offer = {
  resource: ResourceInfo;
  accepts: [PaymentRequirements];
  extensions: Record<string, unknown>;
};

type Offered = Pick<Operation, "route" | "summary" | "input"> & { example: Record<string, unknown> };

/**
 * Creates a function that returns the offer of a paid operation for a base URL. The Bazaar extension describes the input
 * for directories of paid resources. The output schema is only in the discovery document, because an offer must fit into
 * a header.
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

/** The content of the `payment-required` header. */
export const paymentRequired = (offer: Offer, error: string): PaymentRequired => ({ x402Version: 2, error, ...offer });
