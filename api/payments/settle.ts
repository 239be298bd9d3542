import type { x402ResourceServer } from "@x402/core/server";
import { type PaymentPayload, type PaymentRequirements, SettleError } from "@x402/core/types";
import type { Logger } from "pino";
import type { BaseContext } from "../core/context";
import { withDeadline } from "../core/with-deadline";
import { outcomeUnknown } from "./failures";
import type { Payment } from "./payload";
import { codeOf, isFinal, isUsedNonce } from "./reasons";
import { type PaymentKey, type PaymentRow, recordSettlement, releaseSettlement } from "./records";
import { findSettlement, findUse, type PaymentChain, wasCanceled } from "./settlement";

/** The settlement transaction, the code of a final failure, or neither if the outcome is unknown. */
export type Outcome = { transaction?: string; refusal?: string };

/**
 * Asks the facilitator to settle. An error leaves the outcome unknown. (The HTTP server's `processSettlement` would respond
 * with 402 then, and the client would pay again.)
 */
export async function requestSettlement(
  server: x402ResourceServer,
  payload: PaymentPayload,
  { payer, nonce }: PaymentKey,
  log: Logger,
): Promise<Outcome> {
  const result = await server.settlePayment(payload, payload.accepted).catch((error: unknown) => {
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

/** Settles payments, and records the outcome before anyone learns of it. */
export function createSettler(
  server: x402ResourceServer,
  chain: PaymentChain,
  requirements: PaymentRequirements,
  store: BaseContext["store"],
  log: Logger,
) {
  /** Only a recorded settlement is followed, and settled again if a reorg removes it. */
  const record = async (key: PaymentKey, transaction: string) =>
    recordSettlement(await store(), key, transaction).catch((error: unknown) => {
      log.error({ err: error, transaction }, "a settled payment could not be recorded; a retry finds it on chain");
      throw outcomeUnknown(error);
    });

  /**
   * Compares an outcome without a transaction with the payment network. If the facilitator says that the nonce was used, but
   * the chain has no event of its use, a reorg has removed the transfer. It may be included again, so the outcome is unknown.
   */
  async function confirm(outcome: Outcome, sought: Parameters<typeof findUse>[1]): Promise<Outcome> {
    const { settlement, isUsed } = await findUse(chain, sought, requirements);
    if (settlement) return settlement;
    const isRemoved = outcome.refusal !== undefined && isUsedNonce(outcome.refusal) && !isUsed;
    return isRemoved && !(await wasCanceled(chain, sought)) ? {} : outcome;
  }

  /** Never rejects, because it may continue after the response. */
  async function settleAndRecord(
    { key, payload }: Payment,
    holder: string,
    fromBlock: bigint | null,
  ): Promise<Outcome> {
    try {
      const requested = await requestSettlement(server, payload, key, log);
      const outcome = requested.transaction ? requested : await confirm(requested, { ...key, fromBlock });
      if (outcome.transaction) await record(key, outcome.transaction);
      else await releaseSettlement(await store(), key, holder);
      return outcome;
    } catch (error) {
      log.error({ err: error, payer: key.payer, nonce: key.nonce }, "the outcome of a payment is unknown");
      return {};
    }
  }

  return {
    /** Settles a payment. After `ms` the outcome is unknown, while the settlement continues and records it. */
    settle: (payment: Payment, holder: string, fromBlock: bigint | null, ms: number): Promise<Outcome> =>
      withDeadline(settleAndRecord(payment, holder, fromBlock), { ms }).catch(() => ({})),

    /** Finds the transaction of a settlement whose outcome was unknown, and records it. */
    async find(row: PaymentRow): Promise<string | undefined> {
      const found = await findSettlement(chain, row, requirements).catch((error: unknown) => {
        log.warn({ err: error }, "the payment network does not answer");
        throw outcomeUnknown(error);
      });
      if (found) await record(row, found.transaction);
      return found?.transaction;
    },
  };
}
