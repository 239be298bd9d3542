import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import type { HTTPTransportContext } from "@x402/core/server";
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

/** What happens around the facilitator's verification of a payment. */
type Steps = {
  /** Runs before it. Returns the code of a payment that is rejected without it. */
  admit: () => Promise<string | undefined>;
  /** The error for the client if the facilitator does not verify. */
  onFailure: (error: unknown) => Error;
};

/**
 * A request as the x402 server sees it: with the public URL of the resource, and with a payment of either version as one of
 * version 2. It keeps errors of the steps, because the server ignores those of its hooks.
 */
class PaidRequest extends HonoAdapter {
  error: unknown;

  constructor(
    c: HonoContext,
    private readonly url: string,
    private readonly payment?: PaymentPayload,
    private readonly steps?: Steps,
  ) {
    super(c);
  }

  override getUrl() {
    return this.url;
  }

  override getHeader(name: string) {
    return this.payment && name === "payment-signature" ? encodePaymentSignatureHeader(this.payment) : undefined;
  }

  async admit() {
    try {
      // Without steps, a payment must not reach the facilitator.
      const reason = this.steps ? await this.steps.admit() : "invalid_payment";
      return reason === undefined ? undefined : { abort: true as const, reason };
    } catch (error) {
      this.error = error;
      return { abort: true as const, reason: "invalid_payment" };
    }
  }

  async fail(error: unknown) {
    this.error = this.steps?.onFailure(error) ?? error;
  }
}

const requestOf = (transport: unknown): PaidRequest => {
  const { adapter } = (transport as HTTPTransportContext).request;
  if (adapter instanceof PaidRequest) return adapter;
  throw new Error("The x402 server was called without a request");
};

/**
 * The x402 server of one operation: its offer, and the decoding, matching and verification of payments. The Bazaar extension
 * describes the input for directories of paid resources. The output schema is only in the discovery document, because an
 * offer must fit into a header.
 */
export function createOffer({ route, summary, input, example }: AnyCall, terms: Terms, facilitator: Facilitator) {
  const [method = "", path = ""] = route.split(" ");
  const about = { description: summary, mimeType: "application/json", serviceName: "Intentry" };
  const { amount, asset, extra, ...accepted } = requirementsOf(terms);
  const server = createResourceServer(facilitator, terms.network)
    .registerExtension(bazaarResourceServerExtension)
    .onBeforeVerify(({ transportContext }) => requestOf(transportContext).admit())
    .onVerifyFailure(({ transportContext, error }) => requestOf(transportContext).fail(error));
  const http = new x402HTTPResourceServer(server, {
    [route]: {
      ...about,
      accepts: { ...accepted, price: { amount, asset, extra } },
      extensions: declareDiscoveryExtension({ input: example, inputSchema: inputSchemaOf(input) }),
    },
  });
  // It sends no request: our facilitators know what they support.
  const initialized = http.initialize();

  /** Returns the 402 response of the x402 server. Undefined if the payment is verified. */
  async function ask(request: PaidRequest): Promise<PaymentRequired | undefined> {
    await initialized;
    // The route's own method and path: the request has reached it, whatever its spelling, or is its HEAD.
    const result = await http.processHTTPRequest({ adapter: request, method, path }).catch((error: unknown) => {
      throw request.error ?? error;
    });
    if (request.error !== undefined) throw request.error;
    if (result.type === "payment-verified") return undefined;
    if (result.type === "no-payment-required") throw new Error(`${route} is not offered`);
    return decodePaymentRequiredHeader(result.response.headers["PAYMENT-REQUIRED"] ?? "");
  }

  return {
    server,
    /** The terms for a request without a payment. */
    async terms(c: HonoContext, baseUrl: string): Promise<PaymentRequired> {
      const required = await ask(new PaidRequest(c, `${baseUrl}${path}`));
      if (!required) throw new Error(`${route} was not paid`);
      return required;
    },
    /** Verifies a payment. Returns the terms with the code of a rejection, or undefined if the payment is valid. */
    verify(c: HonoContext, baseUrl: string, payment: PaymentPayload, steps: Steps) {
      const url = `${baseUrl}${path}`;
      payment.resource = { url, ...about };
      return ask(new PaidRequest(c, url, payment, steps));
    },
  };
}
