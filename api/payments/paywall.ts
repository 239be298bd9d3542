import type { PaymentRequired } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { steadyTime } from "../../config/steady-time";
import type { Terms } from "../../config/terms";
import type { BaseContext } from "../core/context";
import type { AnyCall, Caller } from "../core/operation";
import { paidCaller } from "../core/paid-caller";
import { withDeadline } from "../core/with-deadline";
import { TIME_LIMIT_MS } from "../http/time-limit";
import { createAdmission, type Purchase } from "./admission";
import { chainTimeProblem } from "./chain-time";
import type { Facilitator } from "./facilitators/remote";
import { inProgress, networkAway, notCharged, notVerified, outcomeUnknown } from "./failures";
import { BadPayment, type Payment, readPayment, termsProblem } from "./payload";
import { codeOf, isUnclear, mayBeMistaken, rejectionMessage } from "./reasons";
import { beginSettlement, type PaymentRow, releasePayment, resumeSettlement } from "./records";
import { requirementsOf } from "./requirements";
import { createOffer } from "./resource-server";
import { PAYMENT_REQUIRED, paidResponse, paymentRequiredResponse, settlementHeaders } from "./responses";
import { createSettler, type Outcome } from "./settle";
import type { PaymentChain } from "./settlement";
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

/** One payment in progress, and its request. `deadline` is in steady milliseconds. */
type Visit = Purchase & { c: HonoContext; caller: Caller; run: PaidRequest["run"]; deadline: number };

/** The minimum time left to start a settlement. */
const SETTLEMENT_MS = 4_000;

/** The paywall responds this long before the gateway's time limit. */
const MARGIN_MS = 500;

/** The size limit of a response that is stored for retries. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Creates the paywall of one operation. The x402 server makes the offer, and decodes, matches and verifies payments. A payment
 * is claimed in the store before the facilitator verifies it. It is settled after the operation has run and the response is
 * stored. A retry with the same payment gets the stored response.
 */
export function createPaywall(
  operation: AnyCall,
  { terms, facilitator, chain }: Payments,
  store: BaseContext["store"],
  { rejectedPaymentsPerMinute }: Pick<BaseContext["config"], "rejectedPaymentsPerMinute">,
  log: Logger,
) {
  const requirements = requirementsOf(terms);
  const offer = createOffer(operation, terms, facilitator);
  const admit = createAdmission(requirements, chain, store, rejectedPaymentsPerMinute, log);
  const settler = createSettler(offer.server, chain, requirements, store, log);

  const head = () => chain.getBlockNumber({ cacheTime: 0 }).catch(() => null);

  function onVerifyFailure(error: unknown): Error {
    log.warn({ err: error }, "the facilitator did not verify a payment");
    return notVerified(error);
  }

  /** The message for a code. If the code says nothing, the time of the payment network may be the reason. */
  async function explain({ authorization }: Payment, code: string): Promise<{ code: string; message: string }> {
    const problem = isUnclear(code)
      ? await chainTimeProblem(chain, authorization).catch((error: unknown) => {
          log.warn({ err: error, code }, "the time of the payment network could not be read");
          return undefined;
        })
      : undefined;
    return problem ?? { code, message: rejectionMessage(code) };
  }

  /** Responds to a payment that is rejected by the x402 server, by us (then there is no claim) or by the facilitator. */
  async function reject({ c, payment, holder, isProven, attempt }: Visit, required: PaymentRequired) {
    const problem = termsProblem(payment, requirements);
    if (problem) return paymentRequiredResponse(c, required, terms, problem);
    const reason = codeOf(required.error);
    if (holder === undefined) return paymentRequiredResponse(c, required, terms, rejectionMessage(reason), reason);
    // If its node fails, a facilitator may reject a good payment: a signature that it can't check, or a transfer that it
    // can't simulate. The payment network decides then.
    if (isProven && mayBeMistaken(reason)) {
      if (!(await transferReverts(chain, payment, requirements.asset).catch(networkAway(log)))) {
        log.warn({ reason }, "the facilitator rejected a valid payment");
        throw notVerified();
      }
    }
    attempt?.mark(true);
    const { message, code } = await explain(payment, reason);
    return paymentRequiredResponse(c, required, terms, message, code);
  }

  /** Settles a payment. At the deadline the client gets a 503, while the settlement continues and records its outcome. */
  async function settle({ c, caller, payment, deadline }: Visit, holder: string, answer: string, from: bigint | null) {
    const settling = settler.settle(payment, holder, from);
    // It never rejects: only the deadline is caught.
    const outcome = await withDeadline(settling, { ms: deadline - steadyTime() }).catch((): Outcome => ({}));
    if (outcome.transaction) return paidResponse(c, requirements, payment, answer, outcome.transaction);
    const { refusal } = outcome;
    if (refusal === undefined) throw outcomeUnknown();
    const headers = settlementHeaders(payment, { success: false, errorReason: refusal, transaction: "" });
    const required = await offer.terms(c, caller.baseUrl);
    return paymentRequiredResponse(c, required, terms, rejectionMessage(refusal), refusal, headers);
  }

  /** Responds to a payment that was received before. */
  async function replay(visit: Visit, row: PaymentRow, required: PaymentRequired): Promise<Response> {
    const { c, payment, request } = visit;
    if (row.state === "CLAIMED") throw inProgress();
    if (row.hash !== payment.hash || row.request !== request || row.answer === null) return reject(visit, required);
    const isSettled = row.transaction !== null && row.state !== "REVERTED";
    const transaction = isSettled ? row.transaction : await settler.find(row);
    if (transaction) return paidResponse(c, requirements, payment, row.answer, transaction);
    const holder = await resumeSettlement(await store(), payment.key);
    if (holder === null) throw inProgress();
    return settle(visit, holder, row.answer, row.fromBlock);
  }

  /** Runs the operation for a verified payment, stores the response and settles. */
  async function sell(visit: Visit, holder: string): Promise<Response> {
    const { caller, payment, run, deadline } = visit;
    const [answer, fromBlock] = await Promise.all([run(paidCaller(caller)), head()]);
    const bytes = Buffer.byteLength(answer);
    if (bytes > MAX_ANSWER_BYTES)
      throw new Error(`The response of ${bytes} bytes exceeds the limit of ${MAX_ANSWER_BYTES} for paid responses`);
    const isInTime = deadline - steadyTime() >= SETTLEMENT_MS;
    if (!isInTime || !(await beginSettlement(await store(), payment.key, holder, { answer, fromBlock })))
      throw notCharged("The request took too long, and nothing was charged; try again");
    // The claim has become a settlement, which is never released.
    visit.holder = undefined;
    return settle(visit, holder, answer, fromBlock);
  }

  async function buy(visit: Visit): Promise<Response> {
    const { c, caller, payment } = visit;
    const steps = { admit: () => admit(visit), onFailure: onVerifyFailure };
    const required = await offer.verify(c, caller.baseUrl, payment.payload, steps);
    const { attempt, holder, earlier } = visit;
    if (required) return earlier ? replay(visit, earlier, required) : reject(visit, required);
    if (holder === undefined) throw new Error("The payment was verified before it was claimed");
    attempt?.mark(false);
    return sell(visit, holder);
  }

  /** Releases a payment that was claimed but not submitted, so that the client can use it again. */
  async function release({ payment, holder }: Visit): Promise<void> {
    if (holder !== undefined) await releasePayment(await store(), payment.key, holder);
  }

  return async (c: HonoContext, { caller, request, run }: PaidRequest): Promise<Response> => {
    const deadline = steadyTime() + TIME_LIMIT_MS - MARGIN_MS;
    let payment: Payment | null = null;
    let problem = PAYMENT_REQUIRED;
    try {
      // HEAD returns the terms of GET. It has no body to pay for.
      if (c.req.method !== "HEAD") payment = readPayment((name) => c.req.header(name), requirements);
    } catch (error) {
      if (!(error instanceof BadPayment)) throw error;
      problem = error.message;
    }
    if (!payment) return paymentRequiredResponse(c, await offer.terms(c, caller.baseUrl), terms, problem);
    const { client } = caller;
    const visit: Visit = { c, caller, client, payment, request, run, deadline, end: () => {} };
    try {
      return await buy(visit);
    } finally {
      await release(visit).catch((error: unknown) =>
        log.error({ err: error }, "a payment could not be released; its lease expires by itself"),
      );
      visit.end();
    }
  };
}
