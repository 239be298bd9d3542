import type { Logger } from "pino";
import { createPublicClient, fallback } from "viem";
import type { PaymentSettings } from "../../config/payments";
import { tracedHttp } from "../telemetry/traced-http";
import { localFacilitator } from "./facilitators/local";
import { checkFacilitator, remoteFacilitator } from "./facilitators/remote";
import { tracedFacilitator } from "./facilitators/traced";
import type { Payments } from "./paywall";

/** Timeout of a request to the payment network. */
const RPC_TIMEOUT_MS = 4_000;

/** Creates the payment dependencies. Returns undefined, and logs the missing variables, if payment is not configured. */
export function paymentsFrom(settings: PaymentSettings | { missing: string[] }, log: Logger): Payments | undefined {
  if ("missing" in settings) {
    log.warn({ missing: settings.missing }, "the portfolio is not offered; set these variables to offer it");
    return undefined;
  }
  const { terms, rpcUrls, facilitator: remote } = settings;
  const transports = rpcUrls.map((url) => tracedHttp(url, { timeout: RPC_TIMEOUT_MS, retryCount: 1 }));
  const chain = createPublicClient({ transport: fallback(transports), cacheTime: 0 });
  if (!remote)
    return { terms, chain, facilitator: tracedFacilitator(localFacilitator(rpcUrls[0] ?? "", terms.network), "local") };
  const facilitator = remoteFacilitator(remote.url, terms.network, remote.authorization);
  void checkFacilitator(facilitator, terms.network, log);
  return { terms, chain, facilitator: tracedFacilitator(facilitator, new URL(remote.url).hostname) };
}
