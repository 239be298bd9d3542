import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { steadyTime } from "../../config/steady-time";
import type { Terms } from "../../config/terms";
import type { BaseContext } from "../core/context";
import { InProgress, PaymentUnknown, Unavailable } from "../core/errors";
import type { AnyCall, Caller } from "../core/operation";
import { paidCaller } from "../core/paid-caller";
import { createSemaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";
import type { Env } from "../http/reply";
import { TIME_LIMIT_MS } from "../http/time-limit";
import { chainTimeProblem } from "./chain-time";
import type { Facilitator } from "./facilitators/remote";
import { type Offer, offersOf, paymentRequired } from "./offer";
import { BadPayment, type Payment, readPayment, storedText } from "./payload";
import { type Attempt, createPaymentLimits } from "./payment-limits";
import {
  authorizationProblem,
  CODES,
  codeOf,
  isUnclear,
  isUsedNonce,
  mayBeMistaken,
  rejectionMessage,
} from "./reasons";
import {
  beginSettlement,
  claimPayment,
  type PaymentRow,
  recordSettlement,
  releasePayment,
  releaseSettlement,
  resumeSettlement,
} from "./records";
import { createResourceServer, type Outcome, requestSettlement } from "./request-settlement";
import { requirementsOf } from "./requirements";
import { PAYMENT_REQUIRED, paidResponse, paymentRequiredResponse, settlementFailedResponse } from "./responses";
import { findSettlement, findUse, type PaymentChain, wasCanceled } from "./settlement";
import { isSignedByContract, isSignedByPayer } from "./signature";
import { transferReverts } from "./simulate-transfer";

/** Payment dependencies: the terms, the facilitator and the payment network. */
export type Payments = { terms: Terms; facilitator: Facilitator; chain: PaymentChain };

/** A request for a paid operation. */
export type PaidRequest = {
  caller: Caller;
  /** Identifies the request. A payment is valid for one request. */
  request: string;
  /** Runs the operation and returns the response body. */
  run: (caller: Caller) => Promise<string>;
};

/** One payment in progress. `deadline` is in milliseconds since 1970. */
type Purchase = {
  c: HonoContext<Env>;
  offer: Offer;
  payment: Payment;
  request: string;
  deadline: number;
  attempt: Attempt;
  /** Whether the payer's key signed the payment. */
  isProven: boolean;
  run: () => Promise<string>;
};

/** The minimum time left to start a settlement. */
const SETTLEMENT_MS = 4_000;

/** The paywall responds this long before the gateway's time limit. */
const MARGIN_MS = 500;

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

/** The size limit of a response that is stored for retries. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const RETRY_SECONDS = 2;

const outcomeUnknown = (cause?: unknown) =>
  new PaymentUnknown(
    "The payment was submitted, but its outcome is not known yet; retry with the same payment, which is charged at most once",
    { retryAfterSeconds: RETRY_SECONDS, cause },
  );

/** The caller's payment was not processed because others are. */
const tooBusy = () =>
  new Unavailable("Too many payments are in progress, and this one was not charged; try again shortly", {
    retryAfterSeconds: RETRY_SECONDS,
  });

/**
 * Creates the paywall of one operation. It checks the terms and the payer's signature without any request or write. It
 * claims a payment in the store before the facilitator verifies it, so only one of several copies is processed. It settles
 * after the operation has run and the response is stored. A retry with the same payment gets the stored response.
 */
export function createPaywall(
  operation: AnyCall,
  { terms, facilitator, chain }: Payments,
  store: BaseContext["store"],
  { rejectedPaymentsPerMinute }: Pick<BaseContext["config"], "rejectedPaymentsPerMinute">,
  log: Logger,
) {
  const requirements = requirementsOf(terms);
  const offerAt = offersOf(operation, requirements);
  const server = createResourceServer(facilitator, terms.network);

  const limits = createPaymentLimits(rejectedPaymentsPerMinute);
  // One at a time: each takes milliseconds of CPU.
  const recovery = createSemaphore(1);
  const proven = createSemaphore(MAX_CONCURRENT, MAX_OF_CLIENT);
  const unproven = createSemaphore(MAX_UNPROVEN, MAX_UNPROVEN_OF_CLIENT);

  const head = () => chain.getBlockNumber({ cacheTime: 0 }).catch(() => null);

  const notVerified = (cause?: unknown) =>
    new Unavailable("The facilitator could not verify the payment, so nothing was charged; try again shortly", {
      retryAfterSeconds: RETRY_SECONDS,
      cause,
    });

  /**
   * Asks the facilitator to verify a payment. If its node fails, it may reject a good one: a signature that it can't check, or
   * a transfer that it can't simulate. The payment network decides then.
   */
  async function verify({ payment, isProven }: Purchase) {
    const verdict = await server.verifyPayment(payment.payload, requirements).catch((error: unknown) => {
      log.warn({ err: error }, "the facilitator did not verify a payment");
      throw notVerified(error);
    });
    if (verdict.isValid || !isProven || !mayBeMistaken(codeOf(verdict.invalidReason))) return verdict;
    if (await transferReverts(chain, payment, requirements.asset).catch(networkAway)) return verdict;
    log.warn({ reason: verdict.invalidReason }, "the facilitator rejected a valid payment");
    throw notVerified();
  }

  const networkAway = (error: unknown): never => {
    log.warn({ err: error }, "the payment network does not answer");
    throw new Unavailable("The payment network does not answer, so nothing was charged; try again shortly", {
      retryAfterSeconds: RETRY_SECONDS,
      cause: error,
    });
  };

  /** The message for a facilitator's code. If the code says nothing, the time of the payment network may be the reason. */
  async function explain({ authorization }: Payment, code: string): Promise<{ code: string; message: string }> {
    const problem = isUnclear(code)
      ? await chainTimeProblem(chain, authorization).catch((error: unknown) => {
          log.warn({ err: error, code }, "the time of the payment network could not be read");
          return undefined;
        })
      : undefined;
    return problem ?? { code, message: rejectionMessage(code) };
  }

  /** Verifies a claimed payment, runs the operation and settles. A failure before settlement releases the payment. */
  async function processPayment(purchase: Purchase, holder: string): Promise<Response> {
    const { c, offer, payment, deadline, attempt, run } = purchase;
    const db = await store();
    let isSettling = false;
    let answer: string;
    let fromBlock: bigint | null;
    try {
      const [verdict, block] = await Promise.all([verify(purchase), head()]);
      attempt.mark(!verdict.isValid);
      if (!verdict.isValid) {
        const { message, code } = await explain(payment, codeOf(verdict.invalidReason));
        return paymentRequiredResponse(c, offer, terms, message, code);
      }
      fromBlock = block;
      answer = await run();
      if (Buffer.byteLength(answer) > MAX_ANSWER_BYTES)
        throw new Error(
          `The response of ${Buffer.byteLength(answer)} bytes exceeds the limit of ${MAX_ANSWER_BYTES} for paid responses`,
        );
      const isInTime = deadline - steadyTime() >= SETTLEMENT_MS;
      isSettling = isInTime && (await beginSettlement(db, payment.key, holder, { answer, fromBlock }));
      if (!isSettling)
        throw new Unavailable("The request took too long, and nothing was charged; try again", {
          retryAfterSeconds: RETRY_SECONDS,
        });
    } finally {
      if (!isSettling)
        await releasePayment(db, payment.key, holder).catch((error: unknown) =>
          log.error({ err: error }, "a payment could not be released; its lease expires by itself"),
        );
    }
    return settle(purchase, holder, answer, fromBlock);
  }

  /** Settles a payment. At the deadline the client gets a 503, while the settlement continues and records its outcome. */
  async function settle(
    { c, offer, payment, deadline }: Purchase,
    holder: string,
    answer: string,
    fromBlock: bigint | null,
  ): Promise<Response> {
    const settling = settleAndRecord(payment, holder, fromBlock);
    // It never rejects: only the deadline is caught.
    const outcome = await withDeadline(settling, { ms: deadline - steadyTime() }).catch((): Outcome => ({}));
    if (outcome.transaction) return paidResponse(c, offer, payment, answer, outcome.transaction);
    if (outcome.refusal) return settlementFailedResponse(c, offer, terms, payment, outcome.refusal);
    throw outcomeUnknown();
  }

  /**
   * Compares an outcome without a transaction with the payment network. If the facilitator says that the nonce was used, but
   * the chain has no event of its use, a reorg has removed the transfer. It may be included again, so the outcome is unknown.
   */
  async function confirmOutcome(outcome: Outcome, sought: Parameters<typeof findUse>[1]): Promise<Outcome> {
    const { settlement, isUsed } = await findUse(chain, sought, requirements);
    if (settlement) return settlement;
    const isRemoved = outcome.refusal !== undefined && isUsedNonce(outcome.refusal) && !isUsed;
    return isRemoved && !(await wasCanceled(chain, sought)) ? {} : outcome;
  }

  /** Never rejects, because it may continue after the response. */
  async function settleAndRecord(payment: Payment, holder: string, fromBlock: bigint | null): Promise<Outcome> {
    const { key } = payment;
    try {
      const requested = await requestSettlement(server, payment.payload, requirements, key, log);
      const outcome = requested.transaction ? requested : await confirmOutcome(requested, { ...key, fromBlock });
      const { transaction } = outcome;
      const db = await store();
      if (transaction) {
        // Before the response: only a recorded settlement is followed, and settled again if a reorg removes it.
        await recordSettlement(db, key, transaction).catch((error: unknown) => {
          log.error({ err: error, transaction }, "a settled payment could not be recorded; a retry finds it on chain");
          throw error;
        });
        return { transaction };
      }
      await releaseSettlement(db, key, holder);
      return outcome;
    } catch (error) {
      log.error({ err: error, payer: key.payer, nonce: key.nonce }, "the outcome of a payment is unknown");
      return {};
    }
  }

  /** Responds to a payment that was received before. */
  async function replayPayment(purchase: Purchase, row: PaymentRow): Promise<Response> {
    const { c, offer, payment, request } = purchase;
    const inProgress = () =>
      new InProgress("This payment is being processed; retry with the same payment to get the response", 1);
    if (row.state === "CLAIMED") throw inProgress();
    if (row.hash !== payment.hash || row.request !== request || row.answer === null)
      return paymentRequiredResponse(
        c,
        offer,
        terms,
        "The payment was already used for another request; sign a new one",
        "payment_already_used",
      );
    if (row.transaction && row.state !== "REVERTED")
      return paidResponse(c, offer, payment, row.answer, row.transaction);
    const db = await store();
    const settlement = await findSettlement(chain, row, requirements).catch((error: unknown) => {
      log.warn({ err: error }, "the payment network does not answer");
      throw outcomeUnknown(error);
    });
    if (settlement) {
      await recordSettlement(db, payment.key, settlement.transaction).catch((error: unknown) => {
        log.error({ err: error }, "a settled payment could not be recorded; a retry finds it on chain");
        throw outcomeUnknown(error);
      });
      return paidResponse(c, offer, payment, row.answer, settlement.transaction);
    }
    const holder = await resumeSettlement(db, payment.key);
    if (holder === null) throw inProgress();
    return settle(purchase, holder, row.answer, row.fromBlock);
  }

  async function claim({ payment, request }: Purchase) {
    const { key, hash, authorization } = payment;
    const { validBefore } = authorization;
    return claimPayment(await store(), { ...key, hash, request, payload: storedText(payment), validBefore });
  }

  /** Processes a payment that the payer's key signed. */
  async function buy(purchase: Purchase, client: string): Promise<Response> {
    purchase.attempt.mark(false);
    // Claim before waiting for a permit, so that a copy gets 409 immediately.
    const claimed = await claim(purchase);
    if ("row" in claimed) return replayPayment(purchase, claimed.row);
    const response = await proven.run(client, WAIT_MS, () => processPayment(purchase, claimed.holder));
    if (response) return response;
    await releasePayment(await store(), purchase.payment.key, claimed.holder);
    throw tooBusy();
  }

  /** Processes a payment that only a contract (ERC-1271, ERC-6492) can have signed. */
  async function buyAsContract(purchase: Purchase, client: string): Promise<Response> {
    const { c, offer, payment } = purchase;
    const response = await unproven.run(client, WAIT_MS, async () => {
      if (!(await isSignedByContract(chain, payment, requirements).catch(networkAway)))
        return paymentRequiredResponse(c, offer, terms, rejectionMessage(CODES.signature), CODES.signature);
      const claimed = await claim(purchase);
      return "row" in claimed ? replayPayment(purchase, claimed.row) : processPayment(purchase, claimed.holder);
    });
    if (response) return response;
    throw tooBusy();
  }

  return async (c: HonoContext<Env>, { caller, request, run }: PaidRequest): Promise<Response> => {
    const deadline = steadyTime() + TIME_LIMIT_MS - MARGIN_MS;
    const offer = offerAt(caller.baseUrl);
    const reject = (error: string, code?: string) => paymentRequiredResponse(c, offer, terms, error, code);
    let payment: Payment | null;
    try {
      // HEAD returns the terms of GET. It has no body to pay for.
      payment = c.req.method === "HEAD" ? null : readPayment((name) => c.req.header(name), requirements);
    } catch (error) {
      if (error instanceof BadPayment) return reject(error.message);
      throw error;
    }
    if (!payment) return reject(PAYMENT_REQUIRED);
    payment.payload.resource = offer.resource;
    if (!server.validateExtensions(paymentRequired(offer, ""), payment.payload).valid)
      return reject(
        "The payment's extensions do not match this offer; copy them from payment-required",
        "extension_echo_mismatch",
      );
    const problem = authorizationProblem(payment.authorization, requirements, Math.floor(Date.now() / 1000));
    if (problem) return reject(rejectionMessage(problem), problem);
    const attempt = limits.begin(caller.client);
    try {
      const isProven = await recovery.run(caller.client, WAIT_MS, () => isSignedByPayer(payment, requirements));
      if (isProven === null) throw tooBusy();
      const purchase = { c, offer, payment, request, deadline, attempt, isProven, run: () => run(paidCaller(caller)) };
      return await (isProven ? buy(purchase, caller.client) : buyAsContract(purchase, caller.client));
    } finally {
      attempt.end();
    }
  };
}
