import { type FacilitatorClient, HTTPFacilitatorClient } from "@x402/core/server";
import type { SupportedResponse } from "@x402/core/types";
import type { Logger } from "pino";
import type { Terms } from "../../../config/terms";
import { requestIdHeader } from "../../telemetry/request-id";
import { traceHeaders } from "../../telemetry/span";

/** Verifies payments and settles them on chain. */
export type Facilitator = FacilitatorClient;

/** Timeout of a verification request. */
const VERIFY_MS = 5_000;

/** Timeout of a settlement request. The response to the client may come earlier. */
const SETTLE_MS = 10_000;

/** The payment kind of our terms. It is static, so 402 responses work while the facilitator is unavailable. */
export const supportedBy = (network: Terms["network"]): SupportedResponse => ({
  kinds: [{ x402Version: 2, scheme: "exact", network }],
  extensions: [],
  signers: {},
});

/** Creates an HTTP facilitator client with an optional `Authorization` header. */
export function remoteFacilitator(url: string, network: Terms["network"], authorization?: string) {
  const createAuthHeaders = async () => {
    const credentials = authorization === undefined ? undefined : { Authorization: authorization };
    const headers = { ...credentials, ...requestIdHeader(), ...traceHeaders() };
    return { verify: headers, settle: headers, supported: headers };
  };
  const verifying = new HTTPFacilitatorClient({ url, timeoutMs: VERIFY_MS, createAuthHeaders });
  const settling = new HTTPFacilitatorClient({ url, timeoutMs: SETTLE_MS, createAuthHeaders });
  return {
    verify: (payload, requirements) => verifying.verify(payload, requirements),
    settle: (payload, requirements) => settling.settle(payload, requirements),
    getSupported: async () => supportedBy(network),
    /** Fetches the payment kinds that the facilitator supports. */
    fetchSupported: () => verifying.getSupported(),
  } satisfies Facilitator & { fetchSupported: () => Promise<SupportedResponse> };
}

/** Whether a facilitator's payment kinds include the one of our terms. */
export const isSupported = (kinds: SupportedResponse["kinds"], network: Terms["network"]): boolean =>
  kinds.some((kind) => kind.x402Version === 2 && kind.scheme === "exact" && kind.network === network);

/** Logs at startup if the facilitator is unavailable or does not support our network. Neither stops the service. */
export const checkFacilitator = (
  { fetchSupported }: ReturnType<typeof remoteFacilitator>,
  network: Terms["network"],
  log: Logger,
): Promise<void> =>
  fetchSupported().then(
    ({ kinds }) => {
      const problem =
        "the facilitator (X402_FACILITATOR_URL) does not support exact payments of x402 version 2 on this network (X402_NETWORK); paid requests will fail until one of the two is changed";
      if (!isSupported(kinds, network)) log.error({ network, kinds }, problem);
    },
    (err: unknown) =>
      log.warn({ err }, "the facilitator (X402_FACILITATOR_URL) does not answer; paid requests fail until it does"),
  );
