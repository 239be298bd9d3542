import { decodePaymentRequiredHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { bazaarResourceServerExtension, declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { HonoAdapter, x402HTTPResourceServer, x402ResourceServer } from "@x402/hono";
import type { Context as HonoContext } from "hono";
import { type Terms, unitsOf } from "../../config/terms";
import { inputJsonSchema } from "../core/json-schema";
import type { AnyCall } from "../core/operation";
import type { Payments } from "./configured";
import type { Facilitator } from "./facilitators/remote";
import { PaymentRejected } from "./rejections";

/** Validity of a signed payment. A client can also retry for a lost response within this time. */
const VALID_SECONDS = 300;

/** Converts the terms to x402 payment requirements. */
export function requirementsOf({ network, payTo, price, asset }: Terms): PaymentRequirements {
  const amount = unitsOf(price, asset.decimals);
  if (amount === null || amount === 0n)
    throw new Error(`${price} is not a valid price in ${asset.name}; set X402_PRICE`);
  const { address, name, version } = asset;
  const terms = { scheme: "exact", network, amount: String(amount), asset: address, payTo };
  return { ...terms, maxTimeoutSeconds: VALID_SECONDS, extra: { name, version } };
}

/** The x402 server for one payment network. */
export const createResourceServer = (facilitator: Facilitator, network: Terms["network"]) =>
  new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());

const termNames = ["scheme", "network", "asset", "amount", "payTo"] as const;

/**
 * The offer of a paid operation. `@x402/hono` writes the terms and matches payments to them. The Bazaar extension describes
 * the input for directories of paid resources. The output schema is only in the discovery document, because an offer must
 * fit into a header.
 */
export function createOffer({ route, summary, input, example }: AnyCall, { terms, facilitator }: Payments) {
  const [method = "", path = ""] = route.split(" ");
  const requirements = requirementsOf(terms);
  const { amount, asset, extra, ...option } = requirements;
  const server = createResourceServer(facilitator, terms.network).registerExtension(bazaarResourceServerExtension);
  const http = new x402HTTPResourceServer(server, {
    [route]: {
      ...{ description: summary, mimeType: "application/json", serviceName: "Intentry" },
      accepts: { ...option, price: { amount, asset, extra } },
      extensions: declareDiscoveryExtension({ input: example, inputSchema: inputJsonSchema(input) }),
    },
  });
  // Sends no request: our facilitators know what they support.
  const initialized = http.initialize();

  return {
    requirements,

    /** The package's 402 response to the request without its payment, which the paywall decodes. */
    async required(c: HonoContext, baseUrl: string): Promise<PaymentRequired> {
      await initialized;
      const unpaid = { getUrl: () => `${baseUrl}${path}`, getHeader: () => undefined, getAcceptHeader: () => "" };
      const adapter = Object.assign(new HonoAdapter(c), unpaid);
      // Method and path of the route: the request has reached it, whatever the spelling, or is its HEAD.
      const result = await http.processHTTPRequest({ adapter, method, path });
      if (result.type !== "payment-error") throw new Error(`${route} is not offered`);
      return decodePaymentRequiredHeader(result.response.headers["PAYMENT-REQUIRED"] ?? "");
    },

    /** Throws if a payment does not match the terms. The facilitator has not verified it yet. */
    requireMatch(required: PaymentRequired, payment: PaymentPayload): void {
      if (!server.findMatchingRequirements(required.accepts, payment)) {
        const names = termNames.filter((name) => payment.accepted[name] !== requirements[name]).join(", ");
        throw new PaymentRejected(`The payment does not match the terms: ${names}; sign the terms of this response`);
      }
      const extensions = server.validateExtensions(required, payment);
      const message = "The payment's extensions do not match this offer; copy them from payment-required";
      if (!extensions.valid) throw new PaymentRejected(message, extensions.invalidReason);
    },
  };
}
