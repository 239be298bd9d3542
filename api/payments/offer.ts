import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequired } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { bazaarResourceServerExtension, declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { HonoAdapter, x402HTTPResourceServer, x402ResourceServer } from "@x402/hono";
import type { Context as HonoContext } from "hono";
import type { Terms } from "../../config/terms";
import { inputSchemaOf } from "../core/json-schema";
import type { AnyCall } from "../core/operation";
import type { Facilitator } from "./facilitators/remote";
import { requirementsOf } from "./requirements";

/** The x402 server for one payment network. */
export const createResourceServer = (facilitator: Facilitator, network: Terms["network"]) =>
  new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());

const termNames = ["scheme", "network", "asset", "amount", "payTo"] as const;

/** A request with the public URL of its resource, and with a payment of either version as one of version 2. */
class PaidRequest extends HonoAdapter {
  constructor(
    c: HonoContext,
    private readonly url: string,
    private readonly payment: PaymentPayload | undefined,
  ) {
    super(c);
  }

  override getUrl() {
    return this.url;
  }

  override getHeader(name: string) {
    return this.payment && name === "payment-signature" ? encodePaymentSignatureHeader(this.payment) : undefined;
  }
}

/**
 * The offer of a paid operation. `@x402/hono` writes the terms, and decodes payments and matches them to the terms. The Bazaar
 * extension describes the input for directories of paid resources. The output schema is only in the discovery document,
 * because an offer must fit into a header.
 */
export function createOffer(
  { route, summary, input, example }: AnyCall,
  { terms, facilitator }: { terms: Terms; facilitator: Facilitator },
) {
  const [method = "", path = ""] = route.split(" ");
  const about = { description: summary, mimeType: "application/json", serviceName: "Intentry" };
  const requirements = requirementsOf(terms);
  const { amount, asset, extra, ...option } = requirements;
  const accepts = { ...option, price: { amount, asset, extra } };
  const extensions = declareDiscoveryExtension({ input: example, inputSchema: inputSchemaOf(input) });
  const server = createResourceServer(facilitator, terms.network)
    .registerExtension(bazaarResourceServerExtension)
    // The paywall verifies: a payment must be claimed before. It could do that in this hook, but errors of hooks are ignored.
    .onBeforeVerify(async () => ({ skip: true, result: { isValid: true } }));
  const http = new x402HTTPResourceServer(server, { [route]: { ...about, accepts, extensions } });
  // Sends no request: our facilitators know what they support.
  const initialized = http.initialize();

  /** The package's 402 response. Undefined if a payment matches the terms. */
  async function ask(c: HonoContext, url: string, payment?: PaymentPayload): Promise<PaymentRequired | undefined> {
    await initialized;
    // Method and path of the route: the request has reached it, whatever the spelling, or is its HEAD.
    const result = await http.processHTTPRequest({ adapter: new PaidRequest(c, url, payment), method, path });
    if (result.type === "payment-verified") return undefined;
    if (result.type === "no-payment-required") throw new Error(`${route} is not offered`);
    return decodePaymentRequiredHeader(result.response.headers["PAYMENT-REQUIRED"] ?? "");
  }

  return {
    async terms(c: HonoContext, baseUrl: string): Promise<PaymentRequired> {
      const required = await ask(c, `${baseUrl}${path}`);
      if (!required) throw new Error(`${route} has no terms`);
      return required;
    },
    /** Why a payment does not match the terms, with a code if there is one. The facilitator has not verified it yet. */
    async mismatch(c: HonoContext, baseUrl: string, payment: PaymentPayload): Promise<[string, string?] | undefined> {
      const url = `${baseUrl}${path}`;
      payment.resource = { url, ...about };
      const required = await ask(c, url, payment);
      if (!required) return undefined;
      const different = termNames.filter((name) => payment.accepted[name] !== requirements[name]);
      return different.length > 0
        ? [`The payment does not match the terms: ${different.join(", ")}; sign the terms of this response`]
        : ["The payment's extensions do not match this offer; copy them from payment-required", required.error];
    },
  };
}
