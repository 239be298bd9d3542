import type { Logger } from "pino";
import { createPublicClient, fallback } from "viem";
import type { PaymentSettings } from "../../config/payments";
import type { Terms } from "../../config/terms";
import { traceStep } from "../telemetry/span";
import { tracedHttp } from "../telemetry/traced-http";
import type { PaymentChain } from "./chain";
import { localFacilitator } from "./facilitators/local";
import { checkFacilitator, type Facilitator, remoteFacilitator } from "./facilitators/remote";

/** Payment dependencies: the terms, the facilitator and the payment network. */
export type Payments = { terms: Terms; facilitator: Facilitator; chain: PaymentChain };

/** Limits of a request to the payment network. */
const RPC = { timeout: 4_000, retryCount: 1 };

/** A facilitator whose calls are steps of the request's trace. */
function traced(facilitator: Facilitator, host: string): Facilitator {
  const step = { isCall: true, attributes: { "server.address": host } };
  return {
    verify: (...call) => traceStep({ ...step, name: "facilitator verify" }, () => facilitator.verify(...call)),
    settle: (...call) => traceStep({ ...step, name: "facilitator settle" }, () => facilitator.settle(...call)),
    getSupported: () => facilitator.getSupported(),
  };
}

/** Creates the payment dependencies. Returns undefined, and logs the missing variables, if payment is not configured. */
export function paymentsFrom(settings: PaymentSettings | { missing: string[] }, log: Logger): Payments | undefined {
  if ("missing" in settings) {
    log.warn({ missing: settings.missing }, "the portfolio is not offered; set these variables to offer it");
    return undefined;
  }
  const { terms, rpcUrls, facilitator: remote } = settings;
  const chain = createPublicClient({ transport: fallback(rpcUrls.map((url) => tracedHttp(url, RPC))), cacheTime: 0 });
  if (!remote) return { terms, chain, facilitator: traced(localFacilitator(rpcUrls[0] ?? "", terms.network), "local") };
  const facilitator = remoteFacilitator(remote.url, terms.network, remote.authorization);
  void checkFacilitator(facilitator, terms.network, log);
  return { terms, chain, facilitator: traced(facilitator, new URL(remote.url).hostname) };
}
