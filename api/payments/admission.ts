import type { PaymentRequirements } from "@x402/core/types";
import type { Logger } from "pino";
import type { BaseContext } from "../core/context";
import { createSemaphore, type Semaphore } from "../core/semaphore";
import { networkAway, tooBusy } from "./failures";
import { type Payment, storedText } from "./payload";
import { type Attempt, createPaymentLimits } from "./payment-limits";
import { authorizationProblem, CODES } from "./reasons";
import { claimPayment, type PaymentRow } from "./records";
import type { PaymentChain } from "./settlement";
import { isSignedByContract, isSignedByPayer } from "./signature";

/** The maximum number of concurrent payments, in total and of one client, and how long another one may wait. */
const MAX_CONCURRENT = 16;
const MAX_OF_CLIENT = 8;
const WAIT_MS = 5_000;

/**
 * The same for payments whose payer is not proven by a signature of its key. Only the payment network and the facilitator
 * can reject these, so they must not delay the others.
 */
const MAX_UNPROVEN = 4;
const MAX_UNPROVEN_OF_CLIENT = 2;

/** One payment in progress. */
export type Purchase = {
  payment: Payment;
  /** Identifies the request. A payment is valid for one request. */
  request: string;
  client: string;
  attempt?: Attempt;
  /** Whether the payer's key signed the payment. */
  isProven?: boolean;
  /** The id of the claim. */
  holder?: string;
  /** The record of a payment that was claimed before. */
  earlier?: PaymentRow;
  /** Call it when the payment has ended, whatever the outcome. */
  end: () => void;
};

/**
 * Decides which payments the facilitator verifies. It checks the payer's signature without any request or write. It claims a
 * payment in the store, so only one of several copies is processed.
 */
export function createAdmission(
  requirements: PaymentRequirements,
  chain: PaymentChain,
  store: BaseContext["store"],
  rejectedPaymentsPerMinute: number | undefined,
  log: Logger,
) {
  const limits = createPaymentLimits(rejectedPaymentsPerMinute);
  // One at a time: each takes milliseconds of CPU.
  const recovery = createSemaphore(1);
  const proven = createSemaphore(MAX_CONCURRENT, MAX_OF_CLIENT);
  const unproven = createSemaphore(MAX_UNPROVEN, MAX_UNPROVEN_OF_CLIENT);

  async function begin(purchase: Purchase): Promise<Attempt> {
    const attempt = limits.begin(purchase.client);
    Object.assign(purchase, { attempt, end: attempt.end });
    return attempt;
  }

  async function enter(purchase: Purchase, semaphore: Semaphore): Promise<void> {
    const release = await semaphore.acquire(purchase.client, WAIT_MS);
    if (!release) throw tooBusy();
    const { end } = purchase;
    purchase.end = () => {
      release();
      end();
    };
  }

  async function claim({ payment, request }: Purchase) {
    const { key, hash, authorization } = payment;
    const { validBefore } = authorization;
    return claimPayment(await store(), { ...key, hash, request, payload: storedText(payment), validBefore });
  }

  /** Returns the code of a payment that is rejected or was received before. Otherwise the purchase has a holder. */
  return async (purchase: Purchase): Promise<string | undefined> => {
    const { payment, client } = purchase;
    const problem = authorizationProblem(payment.authorization, requirements, Math.floor(Date.now() / 1000));
    if (problem) return problem;
    const attempt = await begin(purchase);
    const isProven = await recovery.run(client, WAIT_MS, () => isSignedByPayer(payment, requirements));
    if (isProven === null) throw tooBusy();
    purchase.isProven = isProven;
    if (isProven) attempt.mark(false);
    else {
      await enter(purchase, unproven);
      // Only a contract (ERC-1271, ERC-6492) can have signed it.
      if (!(await isSignedByContract(chain, payment, requirements).catch(networkAway(log)))) return CODES.signature;
    }
    const claimed = await claim(purchase);
    if ("row" in claimed) {
      purchase.earlier = claimed.row;
      return CODES.used;
    }
    purchase.holder = claimed.holder;
    // After the claim, so that a copy gets 409 immediately.
    if (isProven) await enter(purchase, proven);
    return undefined;
  };
}
