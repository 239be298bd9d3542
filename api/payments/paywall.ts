import { SettleError } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { x402ResourceServer } from "@x402/hono";
import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import type { Terms } from "../../config/terms";
import type { BaseContext } from "../core/context";
import { InProgress, Unavailable } from "../core/errors";
import type { AnyCall, Caller } from "../core/operation";
import { paidCaller } from "../core/paid-caller";
import { withDeadline } from "../core/with-deadline";
import { TIME_LIMIT_MS } from "../http/time-limit";
import { askForPayment, handOver, refuseSettlement } from "./answers";
import type { Facilitator } from "./facilitators/remote";
import { type Offer, offersOf, paymentRequired } from "./offer";
import { BadPayment, type Payment, readPayment } from "./payload";
import { codeOf, isFinal, sentenceOf } from "./reasons";
import {
  beginSettlement,
  claimPayment,
  leaveSettlement,
  type PaymentRow,
  recordSettlement,
  releasePayment,
  resumeSettlement,
} from "./records";
import { requirementsOf } from "./requirements";
import { createSemaphore } from "./semaphore";
import { findSettlement, type PaymentChain } from "./settlement";

/** What payment needs: its terms, who settles it, and the network on which it is made. */
export type Payments = { terms: Terms; facilitator: Facilitator; chain: PaymentChain };

/** What somebody wants to buy. */
export type Order = {
  caller: Caller;
  /** Names what is asked for: a payment buys it once. */
  request: string;
  /** Makes what is bought, for a caller who may have it. */
  make: (caller: Caller) => Promise<string>;
};

/** What is done with one payment, and until when it has to be answered. */
type Purchase = { c: HonoContext; offer: Offer; payment: Payment; request: string; deadline: number };

/** What is left for settlement and the answer: a request that has less does not begin to settle. */
const SETTLEMENT_MS = 4_000;

/** The gateway's own time limit must not be the one that answers. */
const MARGIN_MS = 500;

/** How many payments are worked on at once, and how long another may wait for its turn. */
const PLACES = 16;
const WAIT_MS = 5_000;

/** What is kept for a client that lost its answer has a limit. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const RETRY_SECONDS = 2;

const HANDED_ON =
  "The payment was handed on, but it is not known yet what came of it; ask again with the same payment, which is charged once at most";

/**
 * Sells what one operation answers. A payment is claimed in the store before it is verified, so that of many copies of it
 * one is worked on; it is settled after what it buys is made and stored; and a copy that comes later gets what was stored.
 */
export function createPaywall(
  operation: AnyCall,
  { terms, facilitator, chain }: Payments,
  store: BaseContext["store"],
  log: Logger,
) {
  const requirements = requirementsOf(terms);
  const offerAt = offersOf(operation, requirements);
  const server = new x402ResourceServer(facilitator).register(terms.network, new ExactEvmScheme());

  const turnstile = createSemaphore(PLACES);

  const head = () => chain.getBlockNumber({ cacheTime: 0 }).catch(() => null);

  async function verify(payment: Payment) {
    try {
      return await server.verifyPayment(payment.payload, requirements);
    } catch (error) {
      log.warn({ err: error }, "the facilitator did not verify a payment");
      throw new Unavailable("The facilitator does not answer, so the payment was not taken; try again shortly", {
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      });
    }
  }

  /** Buys with a payment that nobody else is working on. Until settlement begins, whatever fails gives the payment back. */
  async function buy(purchase: Purchase, holder: string, make: () => Promise<string>): Promise<Response> {
    const { c, offer, payment, deadline } = purchase;
    const db = await store();
    let isSettling = false;
    let answer: string;
    let fromBlock: bigint | null;
    try {
      const [verdict, block] = await Promise.all([verify(payment), head()]);
      if (!verdict.isValid) {
        const code = codeOf(verdict.invalidReason);
        return askForPayment(c, offer, terms, sentenceOf(code), code);
      }
      fromBlock = block;
      answer = await make();
      if (Buffer.byteLength(answer) > MAX_ANSWER_BYTES)
        throw new Error(`An answer of ${Buffer.byteLength(answer)} bytes is too large to be sold`);
      const isInTime = deadline - Date.now() >= SETTLEMENT_MS;
      isSettling = isInTime && (await beginSettlement(db, payment.key, holder, { answer, fromBlock }));
      if (!isSettling)
        throw new Unavailable("The request took too long, and the payment was not taken; try again", {
          retryAfterSeconds: RETRY_SECONDS,
        });
    } finally {
      if (!isSettling)
        await releasePayment(db, payment.key, holder).catch((error: unknown) =>
          log.error({ err: error }, "a payment was not given back; its claim lapses by itself"),
        );
    }
    return settle(purchase, holder, answer, fromBlock);
  }

  /** Has a payment made. When that takes too long the client is told to come back, and what comes of it is stored. */
  async function settle(
    { c, offer, payment, deadline }: Purchase,
    holder: string,
    answer: string,
    fromBlock: bigint | null,
  ): Promise<Response> {
    const settling = settleAndRecord(payment, holder, fromBlock);
    // It never rejects, so what is caught is the deadline.
    const outcome = await withDeadline(settling, { ms: deadline - Date.now() }).catch((): Outcome => ({}));
    if (outcome.transaction) return handOver(c, offer, payment, answer, outcome.transaction);
    if (outcome.refusal) return refuseSettlement(c, offer, terms, payment, outcome.refusal);
    throw new Unavailable(HANDED_ON, { retryAfterSeconds: RETRY_SECONDS });
  }

  /** The transaction that paid, why none ever will, or neither when that is not known. */
  type Outcome = { transaction?: string; refusal?: string };

  /** Never rejects: it may go on when nobody waits for it. */
  async function settleAndRecord(payment: Payment, holder: string, fromBlock: bigint | null): Promise<Outcome> {
    const { key } = payment;
    try {
      const said = await askToSettle(payment);
      const transaction = said.transaction ?? (await findSettlement(chain, { ...key, fromBlock }, requirements));
      const db = await store();
      if (transaction) {
        await recordSettlement(db, key, transaction).catch((error: unknown) =>
          log.error({ err: error, transaction }, "a settled payment was not recorded; the chain has it"),
        );
        return { transaction };
      }
      await leaveSettlement(db, key, holder);
      return said;
    } catch (error) {
      log.error({ err: error, payer: key.payer, nonce: key.nonce }, "it is not known what came of a payment");
      return {};
    }
  }

  /** What the facilitator says to a settlement. An error of it says nothing about what came of the payment. */
  async function askToSettle(payment: Payment): Promise<Outcome> {
    const { payer, nonce } = payment.key;
    const result = await server.settlePayment(payment.payload, requirements).catch((error: unknown) => {
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

  /** Answers a payment that was brought before. */
  async function answerAgain(purchase: Purchase, row: PaymentRow): Promise<Response> {
    const { c, offer, payment, request } = purchase;
    const inProgress = () =>
      new InProgress("This payment is being worked on; ask again with the same payment to get what it buys", 1);
    if (row.state === "CLAIMED") throw inProgress();
    if (row.hash !== payment.hash || row.request !== request || row.answer === null)
      return askForPayment(c, offer, terms, "The payment is used already, for another request", "payment_already_used");
    if (row.transaction) return handOver(c, offer, payment, row.answer, row.transaction);
    const db = await store();
    const transaction = await findSettlement(chain, row, requirements).catch((error: unknown) => {
      log.warn({ err: error }, "the payment network does not answer");
      throw new Unavailable(HANDED_ON, { retryAfterSeconds: RETRY_SECONDS, cause: error });
    });
    if (transaction) {
      await recordSettlement(db, payment.key, transaction);
      return handOver(c, offer, payment, row.answer, transaction);
    }
    const holder = await resumeSettlement(db, payment.key);
    if (holder === null) throw inProgress();
    return settle(purchase, holder, row.answer, row.fromBlock);
  }

  return async (c: HonoContext, { caller, request, make }: Order): Promise<Response> => {
    const deadline = Date.now() + TIME_LIMIT_MS - MARGIN_MS;
    const offer = offerAt(caller.baseUrl);
    const refuse = (error: string, code?: string) => askForPayment(c, offer, terms, error, code);
    let payment: Payment | null;
    try {
      // A HEAD says what a GET would cost: there is nothing in its answer to pay for.
      payment = c.req.method === "HEAD" ? null : readPayment((name) => c.req.header(name), requirements);
    } catch (error) {
      if (error instanceof BadPayment) return refuse(error.message);
      throw error;
    }
    if (!payment) return refuse("Payment required");
    payment.payload.resource = offer.resource;
    if (!server.validateExtensions(paymentRequired(offer, ""), payment.payload).valid)
      return refuse("The payment repeats another offer than this one", "extension_echo_mismatch");
    if (payment.validBefore <= BigInt(Math.floor(Date.now() / 1000)))
      return refuse(sentenceOf("expired"), "invalid_exact_evm_payload_authorization_valid_before");
    const purchase: Purchase = { c, offer, payment, request, deadline };
    const { key, hash, validBefore } = payment;
    // Claimed before it waits for its turn, so that a copy of it is told at once that it is being worked on.
    const db = await store();
    const claim = await claimPayment(db, { ...key, hash, request, validBefore });
    if ("row" in claim) return answerAgain(purchase, claim.row);
    const { holder } = claim;
    const response = await turnstile.pass(WAIT_MS, () => buy(purchase, holder, () => make(paidCaller(caller))));
    if (response) return response;
    await releasePayment(db, key, holder);
    throw new Unavailable("There are too many payments at once, and this one was not taken; try again shortly", {
      retryAfterSeconds: RETRY_SECONDS,
    });
  };
}
