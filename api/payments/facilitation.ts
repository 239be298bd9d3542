import { SettleError } from "@x402/core/types";
import type { Logger } from "pino";
import { findUse, transferProblem, wasCanceled } from "./chain";
import type { Payments } from "./configured";
import { createResourceServer } from "./offer";
import type { Payment } from "./payload";
import type { PaymentRecords } from "./records";
import { codeOf, isFinal, isUnclear, isUsedNonce, notCharged, outcomeUnknown, rejection } from "./rejections";
import { contractSignature } from "./signature";

/** The settlement transaction, the code of a final failure, or neither if the outcome is unknown. */
export type Outcome = { transaction?: string; refusal?: string };

/** An attempt to settle: the id of the lease's holder, and the newest block before the settlement. */
export type Attempt = { holder: string; fromBlock: bigint | null };

const NETWORK_AWAY = "The payment network does not answer, so nothing was charged; try again shortly";
const NOT_VERIFIED = "The facilitator could not verify the payment, so nothing was charged; try again shortly";

/** A facilitator may respond with these codes because its node failed. */
const MAY_BE_MISTAKEN = /signature|simulation|not_supported|unexpected/;

/** Verifies and settles payments with the facilitator. Where it fails, the payment network decides. */
export function createFacilitation({ facilitator, terms, chain }: Payments, records: PaymentRecords, log: Logger) {
  const server = createResourceServer(facilitator, terms.network);
  const orFail = (failure: (cause: unknown) => Error) => (err: unknown) => {
    log.warn({ err }, "the payment network does not answer");
    throw failure(err);
  };
  const orNotCharged = orFail((cause) => notCharged(NETWORK_AWAY, cause));

  /** Only a recorded settlement is followed, and settled again if a reorg removes it. */
  const record = ({ key }: Payment, transaction: string) =>
    records.settled(key, transaction).catch((err: unknown) => {
      log.error({ err, transaction }, "a settled payment could not be recorded; a retry finds it on chain");
      throw outcomeUnknown(err);
    });

  /** An error leaves the outcome unknown. (The HTTP server's `processSettlement` would make a 402 of it, and the client pay again.) */
  async function request(payment: Payment, about: object): Promise<Outcome> {
    const { payload } = payment;
    const result = await server.settlePayment(payload, payload.accepted).catch((err: unknown) => {
      log.error({ err, ...about }, "the facilitator did not settle a payment");
      return err instanceof SettleError ? err : undefined;
    });
    if (!result) return {};
    const { transaction } = result;
    if ("success" in result && result.success) return /^0x[0-9a-fA-F]{64}$/.test(transaction) ? { transaction } : {};
    const stated = codeOf(result.errorReason);
    log.warn({ ...about, code: stated, detail: result.errorMessage }, "a payment was not settled");
    const code = isUnclear(stated) ? (await transferProblem(chain, payment, stated))?.code : stated;
    if (code === undefined || !isFinal(code, transaction)) return {};
    // Only a simulation surely precedes sending. A transfer that was sent succeeds as soon as the payer has the balance.
    const mayBeSent = isUnclear(stated) && !/simulation/.test(stated);
    return mayBeSent && !isUsedNonce(code) ? {} : { refusal: code };
  }

  /**
   * Looks for the transfer of a payment that has no transaction. If the facilitator says that the nonce was used, but the
   * chain has no event of its use, a reorg has removed the transfer. It may be included again, so the outcome is unknown.
   */
  async function confirm(outcome: Outcome, payment: Payment, fromBlock: bigint | null): Promise<Outcome> {
    const { settlement, isUsed } = await findUse(chain, payment, fromBlock);
    if (settlement) return settlement;
    const isRemoved = outcome.refusal !== undefined && isUsedNonce(outcome.refusal) && !isUsed;
    return isRemoved && !(await wasCanceled(chain, payment, fromBlock)) ? {} : outcome;
  }

  return {
    contractSignature: (payment: Payment) => contractSignature(chain, payment).catch(orNotCharged),

    /** Throws if the payment is rejected. */
    async verify(payment: Payment, isProven: boolean): Promise<void> {
      const { payload } = payment;
      const verdict = await server.verifyPayment(payload, payload.accepted).catch((err: unknown) => {
        log.warn({ err }, "the facilitator did not verify a payment");
        throw notCharged(NOT_VERIFIED, err);
      });
      if (verdict.isValid) return;
      const code = codeOf(verdict.invalidReason);
      const mayBeMistaken = MAY_BE_MISTAKEN.test(code);
      if (!isUnclear(code) && !mayBeMistaken) throw rejection(code);
      const problem = await transferProblem(chain, payment, code).catch(orNotCharged);
      if (problem || !isProven || !mayBeMistaken) throw problem ?? rejection(code);
      log.warn({ reason: code }, "the facilitator rejected a valid payment");
      throw notCharged(NOT_VERIFIED);
    },

    /** Settles a payment, and records the outcome before anyone learns of it. Never rejects: it may outlast the response. */
    async settle(payment: Payment, { holder, fromBlock }: Attempt): Promise<Outcome> {
      const { payer, nonce } = payment.key;
      try {
        const requested = await request(payment, { payer, nonce });
        const outcome = requested.transaction ? requested : await confirm(requested, payment, fromBlock);
        if (outcome.transaction) await record(payment, outcome.transaction);
        else await records.releaseSettlement(payment.key, holder);
        return outcome;
      } catch (err) {
        log.error({ err, payer, nonce }, "the outcome of a payment is unknown");
        return {};
      }
    },

    /** Finds the transaction of a settlement whose outcome was unknown, and records it. */
    async find(payment: Payment, fromBlock: bigint | null): Promise<string | undefined> {
      const { settlement } = await findUse(chain, payment, fromBlock).catch(orFail(outcomeUnknown));
      if (settlement) await record(payment, settlement.transaction);
      return settlement?.transaction;
    },
  };
}
