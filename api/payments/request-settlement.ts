import { x402ResourceServer } from "@x402/core/server";
import { type PaymentPayload, type PaymentRequirements, SettleError } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import type { Logger } from "pino";
import type { Terms } from "../../config/terms";
import type { Facilitator } from "./facilitators/remote";
import { codeOf, isFinal } from "./reasons";
import type { PaymentKey } from "./records";

/** The settlement transaction, the code of a final failure, or neither if the outcome is unknown. */
export type Outcome = { transaction?: string; refusal?: string };

/** The x402 server for one payment network. */
export const createResourceServer = (facilitator: Facilitator, network: Terms["network"]) =>
  new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());

/** Asks the facilitator to settle. An error leaves the outcome unknown. */
export async function requestSettlement(
  server: x402ResourceServer,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
  { payer, nonce }: PaymentKey,
  log: Logger,
): Promise<Outcome> {
  const result = await server.settlePayment(payload, requirements).catch((error: unknown) => {
    log.error({ err: error, payer, nonce }, "the facilitator did not settle a payment");
    return error instanceof SettleError ? error : undefined;
  });
  if (!result) return {};
  if ("success" in result && result.success)
    return /^0x[0-9a-fA-F]{64}$/.test(result.transaction) ? { transaction: result.transaction } : {};
  const code = codeOf(result.errorReason);
  log.warn({ payer, nonce, code, detail: result.errorMessage }, "a payment was not settled");
  return isFinal(code, result.transaction) ? { refusal: code } : {};
}
