import type { FacilitatorClient } from "@x402/core/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
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
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const createAuthHeaders = async () => {
    const all = { ...headers, ...requestIdHeader(), ...traceHeaders() };
    return { verify: all, settle: all, supported: all };
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
  supportedBy(network).kinds.every((ours) =>
    kinds.some(
      (kind) => kind.x402Version === ours.x402Version && kind.scheme === ours.scheme && kind.network === ours.network,
    ),
  );

/** Logs at startup if the facilitator is unavailable or does not support our network. Neither stops the service. */
export async function checkFacilitator(
  facilitator: Pick<ReturnType<typeof remoteFacilitator>, "fetchSupported">,
  network: Terms["network"],
  log: Logger,
): Promise<void> {
  try {
    const { kinds } = await facilitator.fetchSupported();
    if (!isSupported(kinds, network))
      log.error(
        { network, kinds: kinds.map((kind) => `${kind.scheme} on ${kind.network} (version ${kind.x402Version})`) },
        "the facilitator (X402_FACILITATOR_URL) does not support exact payments of x402 version 2 on this network (X402_NETWORK); paid requests will fail until one of the two is changed",
      );
  } catch (error) {
    log.warn(
      { err: error },
      "the facilitator (X402_FACILITATOR_URL) does not answer; paid requests fail until it does",
    );
  }
}
