import type { PaymentRequired } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { steadyTime } from "../../config/steady-time";
import type { BaseContext } from "../core/context";
import type { AnyCall, Caller } from "../core/operation";
import { paidCaller } from "../core/paid-caller";
import { createSemaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";
import type { Env } from "../http/reply";
import { TIME_LIMIT_MS } from "../http/request";
import type { Payments } from "./configured";
import { type Attempt, createFacilitation, type Outcome } from "./facilitation";
import { createOffer } from "./offer";
import { type Payment, readPayment, requireAuthorization } from "./payload";
import { createPaymentLimits, type LimitedPayment } from "./payment-limits";
import { createPaymentRecords, type PaymentRow } from "./records";
import { inProgress, notCharged, outcomeUnknown, PaymentRejected, rejection } from "./rejections";
import { PAYMENT_REQUIRED, paidResponse, paymentRequiredResponse, settlementHeaders } from "./responses";
import { isSignedByPayer } from "./signature";

/** A request for a paid operation. A payment is valid for one `request`. `run` returns the response body. */
type PaidRequest = { caller: Caller; request: string; run: (caller: Caller) => Promise<string> };

/** One payment in progress. `deadline` is a steady time. */
type Purchase = PaidRequest & { c: HonoContext<Env>; payment: Payment; deadline: number; limited: LimitedPayment };

/** The minimum time left to start a settlement. */
const SETTLEMENT_MS = 4_000;

/** The paywall responds this long before the gateway's time limit. */
const MARGIN_MS = 500;

/** The maximum number of concurrent payments, in total and of one client, and how long another one may wait. */
const CONCURRENT = [16, 8] as const;
const WAIT_MS = 5_000;

/**
 * The same for payments whose payer is not proven by a signature of its key. Only the payment network and the facilitator
 * can reject these, so they must not delay the others.
 */
const CONCURRENT_UNPROVEN = [4, 2] as const;

const ALREADY_USED = "The payment was already used for another request; sign a new one";

/** The size limit of a response that is stored for retries. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Creates the paywall of one operation. It checks the terms and the payer's signature without any request or write. It
 * claims a payment in the store before the facilitator verifies it, so only one of several copies is processed. It settles
 * after the operation has run and the response is stored. A retry with the same payment gets the stored response.
 */
export function createPaywall(
  operation: AnyCall,
  payments: Payments,
  store: BaseContext["store"],
  { rejectedPaymentsPerMinute }: Pick<BaseContext["config"], "rejectedPaymentsPerMinute">,
  log: Logger,
) {
  const { terms, chain } = payments;
  const offer = createOffer(operation, payments);
  const records = createPaymentRecords(store, terms.network);
  const facilitation = createFacilitation(payments, records, log);
  const limits = createPaymentLimits(rejectedPaymentsPerMinute);
  // One at a time: each takes milliseconds of CPU.
  const recovery = createSemaphore(1);
  const [proven, unproven] = [createSemaphore(...CONCURRENT), createSemaphore(...CONCURRENT_UNPROVEN)];

  const claim = ({ payment: { key, hash, payload, authorization }, request }: Purchase) =>
    records.claim({ ...key, hash, request, payload: JSON.stringify(payload), validBefore: authorization.validBefore });

  /** Verifies a claimed payment, runs the operation and settles. A failure before settlement releases the payment. */
  async function processPayment(purchase: Purchase, holder: string, isProven: boolean): Promise<Response> {
    const { payment, deadline, limited, run, caller } = purchase;
    let isSettling = false;
    try {
      const head = chain.getBlockNumber({ cacheTime: 0 }).catch(() => null);
      const [fromBlock] = await Promise.all([head, facilitation.verify(payment, isProven)]);
      limited.mark(false);
      const answer = await run(paidCaller(caller));
      const bytes = Buffer.byteLength(answer);
      if (bytes > MAX_ANSWER_BYTES)
        throw new Error(`The response of ${bytes} bytes exceeds the limit of ${MAX_ANSWER_BYTES} for paid responses`);
      const isInTime = deadline - steadyTime() >= SETTLEMENT_MS;
      isSettling = isInTime && (await records.beginSettlement(payment.key, holder, { answer, fromBlock }));
      if (!isSettling) throw notCharged("The request took too long, and nothing was charged; try again");
      return await settle(purchase, answer, { holder, fromBlock });
    } finally {
      if (!isSettling)
        await records
          .release(payment.key, holder)
          .catch((err: unknown) => log.error({ err }, "a payment could not be released; its lease expires by itself"));
    }
  }

  /** Settles a payment whose response is stored. After the deadline the settlement continues and records its outcome. */
  async function settle({ c, payment, deadline }: Purchase, answer: string, attempt: Attempt): Promise<Response> {
    const settling = withDeadline(facilitation.settle(payment, attempt), { ms: deadline - steadyTime() });
    const { transaction, refusal } = await settling.catch((): Outcome => ({}));
    if (transaction) return paidResponse(c, payment, answer, transaction);
    if (refusal === undefined) throw outcomeUnknown();
    const receipt = { success: false, errorReason: refusal, transaction: "" };
    throw rejection(refusal, settlementHeaders(payment, receipt));
  }

  /** Responds to a payment that was received before. */
  async function replay(purchase: Purchase, { answer, fromBlock, ...row }: PaymentRow): Promise<Response> {
    const { c, payment, request } = purchase;
    if (row.state === "CLAIMED") throw inProgress();
    if (row.hash !== payment.hash || row.request !== request || answer === null)
      throw new PaymentRejected(ALREADY_USED, "payment_already_used");
    const isSettled = row.transaction !== null && row.state !== "REVERTED";
    const transaction = isSettled ? row.transaction : await facilitation.find(payment, fromBlock);
    if (transaction) return paidResponse(c, payment, answer, transaction);
    const holder = await records.resumeSettlement(payment.key);
    if (holder === null) throw inProgress();
    return settle(purchase, answer, { holder, fromBlock });
  }

  /** Processes a payment that the payer's key signed. Returns null if it has waited too long. */
  async function buy(purchase: Purchase): Promise<Response | null> {
    purchase.limited.mark(false);
    // Claim before waiting for a permit, so that a copy gets 409 immediately.
    const claimed = await claim(purchase);
    if ("row" in claimed) return replay(purchase, claimed.row);
    const process = () => processPayment(purchase, claimed.holder, true);
    const response = await proven.run(purchase.caller.client, WAIT_MS, process);
    if (!response) await records.release(purchase.payment.key, claimed.holder);
    return response;
  }

  /** Processes a payment that only a contract (ERC-1271, ERC-6492) can have signed. */
  const buyAsContract = (purchase: Purchase): Promise<Response | null> =>
    unproven.run(purchase.caller.client, WAIT_MS, async () => {
      const { payload } = purchase.payment;
      const signature = await facilitation.contractSignature(purchase.payment);
      if (!signature) throw rejection("invalid_exact_evm_signature");
      payload.payload = { ...payload.payload, signature };
      const claimed = await claim(purchase);
      return "row" in claimed ? replay(purchase, claimed.row) : processPayment(purchase, claimed.holder, false);
    });

  /** Throws {@link PaymentRejected} if the request has no valid payment. */
  async function serve(c: HonoContext<Env>, paid: PaidRequest, required: PaymentRequired): Promise<Response> {
    const deadline = steadyTime() + TIME_LIMIT_MS - MARGIN_MS;
    // HEAD returns the terms of GET. It has no body to pay for.
    const payment = c.req.method === "HEAD" ? null : readPayment((name) => c.req.header(name), offer.requirements);
    if (!payment) throw new PaymentRejected(PAYMENT_REQUIRED);
    offer.requireMatch(required, payment.payload);
    requireAuthorization(payment);
    payment.payload.resource = required.resource;
    const { client } = paid.caller;
    const limited = limits.begin(client);
    try {
      const purchase = { ...paid, c, payment, deadline, limited };
      const isProven = await recovery.run(client, WAIT_MS, () => isSignedByPayer(payment));
      const response = isProven === null ? null : await (isProven ? buy(purchase) : buyAsContract(purchase));
      if (!response)
        throw notCharged("Too many payments are in progress, and this one was not charged; try again shortly");
      limited.mark(false);
      return response;
    } catch (error) {
      limited.mark(error instanceof PaymentRejected);
      throw error;
    } finally {
      limited.end();
    }
  }

  return async (c: HonoContext<Env>, paid: PaidRequest): Promise<Response> => {
    const required = await offer.required(c, paid.caller.baseUrl);
    return serve(c, paid, required).catch((error: unknown) => {
      if (error instanceof PaymentRejected) return paymentRequiredResponse(c, required, terms, error);
      throw error;
    });
  };
}
