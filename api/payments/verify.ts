import type { x402ResourceServer } from "@x402/core/server";
import type { PaymentRequirements } from "@x402/core/types";
import type { Logger } from "pino";
import { chainTimeProblem } from "./chain-time";
import { networkAway, notCharged } from "./failures";
import type { Payment } from "./payload";
import { codeOf, isUnclear, mayBeMistaken, rejectionMessage } from "./reasons";
import type { PaymentChain } from "./settlement";
import { transferReverts } from "./simulate-transfer";

/** Why a payment is rejected. */
type Problem = { code: string; message: string };

/** Creates a function that asks the facilitator to verify a payment. It returns undefined for a valid one. */
export function createVerifier(
  server: x402ResourceServer,
  chain: PaymentChain,
  requirements: PaymentRequirements,
  log: Logger,
) {
  const notVerified = (cause?: unknown) =>
    notCharged("The facilitator could not verify the payment, so nothing was charged; try again shortly", cause);

  /** The message for a facilitator's code. If the code says nothing, the time of the payment network may be the reason. */
  async function explain({ authorization }: Payment, code: string): Promise<Problem> {
    const problem = isUnclear(code)
      ? await chainTimeProblem(chain, authorization).catch((error: unknown) => {
          log.warn({ err: error, code }, "the time of the payment network could not be read");
          return undefined;
        })
      : undefined;
    return problem ?? { code, message: rejectionMessage(code) };
  }

  return async (payment: Payment, isProven: boolean): Promise<Problem | undefined> => {
    const verdict = await server.verifyPayment(payment.payload, requirements).catch((error: unknown) => {
      log.warn({ err: error }, "the facilitator did not verify a payment");
      throw notVerified(error);
    });
    if (verdict.isValid) return undefined;
    const code = codeOf(verdict.invalidReason);
    // If its node fails, a facilitator may reject a good payment: a signature that it can't check, or a transfer that it
    // can't simulate. The payment network decides then.
    if (isProven && mayBeMistaken(code))
      if (!(await transferReverts(chain, payment, requirements.asset).catch(networkAway(log)))) {
        log.warn({ reason: code }, "the facilitator rejected a valid payment");
        throw notVerified();
      }
    return explain(payment, code);
  };
}
