import type { Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { steadyTime } from "../../config/steady-time";
import type { Terms } from "../../config/terms";
import type { BaseContext } from "../core/context";
import type { AnyCall, Caller } from "../core/operation";
import { paidCaller } from "../core/paid-caller";
import { createSemaphore } from "../core/semaphore";
import type { Env } from "../http/reply";
import { TIME_LIMIT_MS } from "../http/time-limit";
import type { Facilitator } from "./facilitators/remote";
import { inProgress, networkAway, notCharged, outcomeUnknown, tooBusy } from "./failures";
import { createOffer, createResourceServer } from "./offer";
import { BadPayment, type Payment, readPayment } from "./payload";
import { type Attempt, createPaymentLimits } from "./payment-limits";
import { authorizationProblem, CODES, rejectionMessage } from "./reasons";
import { beginSettlement, claimPayment, type PaymentRow, releasePayment, resumeSettlement } from "./records";
import { requirementsOf } from "./requirements";
import { PAYMENT_REQUIRED, paidResponse, paymentRequiredResponse, settlementHeaders } from "./responses";
import { createSettler } from "./settle";
import type { PaymentChain } from "./settlement";
import { isSignedByContract, isSignedByPayer } from "./signature";
import { createVerifier } from "./verify";

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
  payment: Payment;
  request: string;
  deadline: number;
  attempt: Attempt;
  /** Whether the payer's key signed the payment. */
  isProven: boolean;
  run: () => Promise<string>;
  reject: (message: string, code?: string, headers?: Record<string, string>) => Promise<Response>;
};

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
  const { terms, facilitator, chain } = payments;
  const requirements = requirementsOf(terms);
  const offer = createOffer(operation, payments);
  const server = createResourceServer(facilitator, terms.network);
  const verify = createVerifier(server, chain, requirements, log);
  const settler = createSettler(server, chain, requirements, store, log);
  const limits = createPaymentLimits(rejectedPaymentsPerMinute);
  // One at a time: each takes milliseconds of CPU.
  const recovery = createSemaphore(1);
  const proven = createSemaphore(...CONCURRENT);
  const unproven = createSemaphore(...CONCURRENT_UNPROVEN);

  const head = () => chain.getBlockNumber({ cacheTime: 0 }).catch(() => null);
  const release = async ({ payment }: Purchase, holder: string) => releasePayment(await store(), payment.key, holder);

  /** Verifies a claimed payment, runs the operation and settles. A failure before settlement releases the payment. */
  async function processPayment(purchase: Purchase, holder: string): Promise<Response> {
    const { payment, deadline, attempt, isProven, run, reject } = purchase;
    let isSettling = false;
    try {
      const [problem, fromBlock] = await Promise.all([verify(payment, isProven), head()]);
      attempt.mark(problem !== undefined);
      if (problem) return await reject(problem.message, problem.code);
      const answer = await run();
      const bytes = Buffer.byteLength(answer);
      if (bytes > MAX_ANSWER_BYTES)
        throw new Error(`The response of ${bytes} bytes exceeds the limit of ${MAX_ANSWER_BYTES} for paid responses`);
      const isInTime = deadline - steadyTime() >= SETTLEMENT_MS;
      isSettling = isInTime && (await beginSettlement(await store(), payment.key, holder, { answer, fromBlock }));
      if (!isSettling) throw notCharged("The request took too long, and nothing was charged; try again");
      return await settle(purchase, holder, answer, fromBlock);
    } finally {
      if (!isSettling)
        await release(purchase, holder).catch((error: unknown) =>
          log.error({ err: error }, "a payment could not be released; its lease expires by itself"),
        );
    }
  }

  async function settle(purchase: Purchase, holder: string, answer: string, from: bigint | null): Promise<Response> {
    const { c, payment, deadline, reject } = purchase;
    const { transaction, refusal } = await settler.settle(payment, holder, from, deadline - steadyTime());
    if (transaction) return paidResponse(c, requirements, payment, answer, transaction);
    if (refusal === undefined) throw outcomeUnknown();
    const receipt = { success: false, errorReason: refusal, transaction: "" };
    return reject(rejectionMessage(refusal), refusal, settlementHeaders(payment, receipt));
  }

  /** Responds to a payment that was received before. */
  async function replay(purchase: Purchase, row: PaymentRow): Promise<Response> {
    const { c, payment, request, reject } = purchase;
    if (row.state === "CLAIMED") throw inProgress();
    if (row.hash !== payment.hash || row.request !== request || row.answer === null)
      return reject("The payment was already used for another request; sign a new one", "payment_already_used");
    const isSettled = row.transaction !== null && row.state !== "REVERTED";
    const transaction = isSettled ? row.transaction : await settler.find(row);
    if (transaction) return paidResponse(c, requirements, payment, row.answer, transaction);
    const holder = await resumeSettlement(await store(), payment.key);
    if (holder === null) throw inProgress();
    return settle(purchase, holder, row.answer, row.fromBlock);
  }

  async function claim({ payment, request }: Purchase) {
    const { key, hash, payload, authorization } = payment;
    const stored = { request, payload: JSON.stringify(payload), validBefore: authorization.validBefore };
    return claimPayment(await store(), { ...key, hash, ...stored });
  }

  /** Processes a payment that the payer's key signed. */
  async function buy(purchase: Purchase, client: string): Promise<Response> {
    purchase.attempt.mark(false);
    // Claim before waiting for a permit, so that a copy gets 409 immediately.
    const claimed = await claim(purchase);
    if ("row" in claimed) return replay(purchase, claimed.row);
    const response = await proven.run(client, WAIT_MS, () => processPayment(purchase, claimed.holder));
    if (response) return response;
    await release(purchase, claimed.holder);
    throw tooBusy();
  }

  /** Processes a payment that only a contract (ERC-1271, ERC-6492) can have signed. */
  async function buyAsContract(purchase: Purchase, client: string): Promise<Response> {
    const response = await unproven.run(client, WAIT_MS, async () => {
      if (!(await isSignedByContract(chain, purchase.payment, requirements).catch(networkAway(log))))
        return purchase.reject(rejectionMessage(CODES.signature), CODES.signature);
      const claimed = await claim(purchase);
      return "row" in claimed ? replay(purchase, claimed.row) : processPayment(purchase, claimed.holder);
    });
    if (response) return response;
    throw tooBusy();
  }

  return async (c: HonoContext<Env>, { caller, request, run }: PaidRequest): Promise<Response> => {
    const deadline = steadyTime() + TIME_LIMIT_MS - MARGIN_MS;
    const { baseUrl, client } = caller;
    const reject: Purchase["reject"] = async (...problem) =>
      paymentRequiredResponse(c, await offer.terms(c, baseUrl), terms, ...problem);
    let payment: Payment | null;
    try {
      // HEAD returns the terms of GET. It has no body to pay for.
      payment = c.req.method === "HEAD" ? null : readPayment((name) => c.req.header(name), requirements);
    } catch (error) {
      if (error instanceof BadPayment) return reject(error.message);
      throw error;
    }
    if (!payment) return reject(PAYMENT_REQUIRED);
    const mismatch = await offer.mismatch(c, baseUrl, payment.payload);
    if (mismatch) return reject(...mismatch);
    const problem = authorizationProblem(payment.authorization, requirements, Math.floor(Date.now() / 1000));
    if (problem) return reject(rejectionMessage(problem), problem);
    const attempt = limits.begin(client);
    try {
      const isProven = await recovery.run(client, WAIT_MS, () => isSignedByPayer(payment, requirements));
      if (isProven === null) throw tooBusy();
      const purchase = { c, payment, request, deadline, attempt, isProven, run: () => run(paidCaller(caller)), reject };
      return await (isProven ? buy(purchase, client) : buyAsContract(purchase, client));
    } finally {
      attempt.end();
    }
  };
}
