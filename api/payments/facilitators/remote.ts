import type { FacilitatorClient } from "@x402/core/server";
import { HTTPFacilitatorClient } from "@x402/core/server";
import type { SupportedResponse } from "@x402/core/types";
import type { Logger } from "pino";
import type { Terms } from "../../../config/terms";

/** Who says whether a payment is good, and has it made on chain. */
export type Facilitator = FacilitatorClient;

/** How long a facilitator has to say whether a payment is good. */
const VERIFY_MS = 5_000;

/** How long it has to have a payment made; the answer to the client does not wait as long. */
const SETTLE_MS = 10_000;

/** What our terms need of a facilitator. Said here, it can ask for payment while the facilitator is away. */
export const supportedBy = (network: Terms["network"]): SupportedResponse => ({
  kinds: [{ x402Version: 2, scheme: "exact", network }],
  extensions: [],
  signers: {},
});

/** A facilitator that is reached by HTTP, perhaps with an `Authorization` header. */
export function remoteFacilitator(url: string, network: Terms["network"], authorization?: string) {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const createAuthHeaders = async () => ({ verify: headers, settle: headers, supported: headers });
  const verifying = new HTTPFacilitatorClient({ url, timeoutMs: VERIFY_MS, createAuthHeaders });
  const settling = new HTTPFacilitatorClient({ url, timeoutMs: SETTLE_MS, createAuthHeaders });
  return {
    verify: (payload, requirements) => verifying.verify(payload, requirements),
    settle: (payload, requirements) => settling.settle(payload, requirements),
    getSupported: async () => supportedBy(network),
    /** What the facilitator itself says it supports. */
    ask: () => verifying.getSupported(),
  } satisfies Facilitator & { ask: () => Promise<SupportedResponse> };
}

/** Says at the start, in the log, when the facilitator is away or can't settle on our network. Neither stops the service. */
export async function checkFacilitator(
  facilitator: Pick<ReturnType<typeof remoteFacilitator>, "ask">,
  network: Terms["network"],
  log: Logger,
): Promise<void> {
  try {
    const { kinds } = await facilitator.ask();
    const fits = kinds.some((kind) => kind.x402Version === 2 && kind.scheme === "exact" && kind.network === network);
    if (!fits)
      log.error(
        { network, kinds: kinds.map((kind) => `${kind.scheme} on ${kind.network} (version ${kind.x402Version})`) },
        "the facilitator (X402_FACILITATOR_URL) does not settle exact payments of x402 version 2 on this network (X402_NETWORK): paid requests will fail",
      );
  } catch (error) {
    log.warn(
      { err: error },
      "the facilitator (X402_FACILITATOR_URL) does not answer; paid requests wait until it does",
    );
  }
}
