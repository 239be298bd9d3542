import type { x402ResourceServer } from "@x402/core/server";
import { SettleError } from "@x402/core/types";
import type { Logger } from "pino";
import { findUse, type PaymentChain, transferProblem, wasCanceled } from "./chain";
import type { Payment } from "./payload";
import type { PaymentKey, PaymentRecords } from "./records";
import { codeOf, isFinal, isUnclear, isUsedNonce, outcomeUnknown } from "./rejections";

/** The settlement transaction, the code of a final failure, or neither if the outcome is unknown. */
export type Outcome = { transaction?: string; refusal?: string };

/** An attempt to settle: the id of the lease's holder, and the newest block before the settlement. */
export type Attempt = { holder: string; fromBlock: bigint | null };

/** Settles payments, and records the outcome before anyone learns of it. */
export function createSettler(server: x402ResourceServer, chain: PaymentChain, records: PaymentRecords, log: Logger) {
  /** Only a recorded settlement is followed, and settled again if a reorg removes it. */
  const record = (key: PaymentKey, transaction: string) =>
    records.settled(key, transaction).catch((error: unknown) => {
      log.error({ err: error, transaction }, "a settled payment could not be recorded; a retry finds it on chain");
      throw outcomeUnknown(error);
    });

  /**
   * Asks the facilitator to settle. An error leaves the outcome unknown. (The HTTP server's `processSettlement` would
   * respond with 402 then, and the client would pay again.)
   */
  async function request(payment: Payment): Promise<Outcome> {
    const { payload, key } = payment;
    const about = { payer: key.payer, nonce: key.nonce };
    const result = await server.settlePayment(payload, payload.accepted).catch((error: unknown) => {
      log.error({ err: error, ...about }, "the facilitator did not settle a payment");
      return error instanceof SettleError ? error : undefined;
    });
    if (!result) return {};
    const { transaction } = result;
    if ("success" in result && result.success) return /^0x[0-9a-fA-F]{64}$/.test(transaction) ? { transaction } : {};
    const stated = codeOf(result.errorReason);
    log.warn({ ...about, code: stated, detail: result.errorMessage }, "a payment was not settled");
    const code = isUnclear(stated) ? (await transferProblem(chain, payment, stated))?.code : stated;
    return code !== undefined && isFinal(code, transaction) ? { refusal: code } : {};
  }

  /**
   * Compares an outcome without a transaction with the payment network. If the facilitator says that the nonce was used, but
   * the chain has no event of its use, a reorg has removed the transfer. It may be included again, so the outcome is unknown.
   */
  async function confirm(outcome: Outcome, { key, payload }: Payment, fromBlock: bigint | null): Promise<Outcome> {
    const sought = { ...key, fromBlock };
    const { settlement, isUsed } = await findUse(chain, sought, payload.accepted);
    if (settlement) return settlement;
    const isRemoved = outcome.refusal !== undefined && isUsedNonce(outcome.refusal) && !isUsed;
    return isRemoved && !(await wasCanceled(chain, sought)) ? {} : outcome;
  }

  return {
    /** Settles a payment. Never rejects, because it may continue after the response. */
    async settle(payment: Payment, { holder, fromBlock }: Attempt): Promise<Outcome> {
      const { key } = payment;
      try {
        const requested = await request(payment);
        const outcome = requested.transaction ? requested : await confirm(requested, payment, fromBlock);
        if (outcome.transaction) await record(key, outcome.transaction);
        else await records.releaseSettlement(key, holder);
        return outcome;
      } catch (error) {
        log.error({ err: error, payer: key.payer, nonce: key.nonce }, "the outcome of a payment is unknown");
        return {};
      }
    },

    /** Finds the transaction of a settlement whose outcome was unknown, and records it. */
    async find({ key, payload }: Payment, fromBlock: bigint | null): Promise<string | undefined> {
      const { settlement } = await findUse(chain, { ...key, fromBlock }, payload.accepted).catch((error: unknown) => {
        log.warn({ err: error }, "the payment network does not answer");
        throw outcomeUnknown(error);
      });
      if (settlement) await record(key, settlement.transaction);
      return settlement?.transaction;
    },
  };
}
