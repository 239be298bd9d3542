import type { PortfolioSnapshot } from "./api";
import { failureOf, IntentryError, noResponse, refusal } from "./error";
import { type Payer, type Spending, signPayment } from "./payer";
import { type ErrorData, secondsToWait } from "./retry-link";
import { secondsOf, wait } from "./wait";

/** A settled payment. */
export type Payment = { transaction: string; network: string; payer?: string };

/** A portfolio snapshot, and what was paid for it. */
export type PaidSnapshot = {
  /** The balances and their value. */
  snapshot: PortfolioSnapshot;
  /** Null if nothing was paid, or if a proxy removed the PAYMENT-RESPONSE header. */
  payment: Payment | null;
};

/** Which chains to include in a portfolio. */
export type PortfolioOptions = {
  /** The chains to include. Default: base and ethereum. */
  chains?: readonly string[];
  /** Ends the request with the signal's reason. */
  signal?: AbortSignal;
};

type Connection = { url: string; fetch: typeof fetch; payer?: Payer; spending?: Spending; retries: number };

/** The delay in seconds before the next retry. Undefined: no retry. */
type RetryDelay = (failed: ErrorData, attempt: number) => number | undefined;

/** A request without a payment only reads. */
const beforePayment: RetryDelay = (failed, attempt) => secondsToWait({ data: failed }, "query", attempt);

/** A request with a payment follows any Retry-After, however long, and otherwise backs off longer. */
const afterPayment: RetryDelay = (failed, attempt) => failed.retryAfter ?? beforePayment(failed, attempt + 2);

/** A response whose body was read completely. */
type CompleteResponse = { status: number; header: (name: string) => string | null; body: unknown };

/** Retries a request until its response, payment terms or a snapshot, was received completely. */
async function completeResponse(
  request: () => Promise<Response>,
  retryDelay: RetryDelay,
  { url, retries, signal }: { url: string; retries: number; signal: AbortSignal | undefined },
): Promise<CompleteResponse> {
  for (let attempt = 0; ; attempt++) {
    let failure: IntentryError;
    let retryAfter: number | undefined;
    try {
      const response = await request();
      const { status, headers } = response;
      if (status === 200 || status === 402)
        return { status, header: (name) => headers.get(name), body: await response.json() };
      failure = await failureOf(response);
      retryAfter = secondsOf(headers.get("retry-after"));
    } catch (error) {
      signal?.throwIfAborted();
      failure = noResponse(url, error);
    }
    const seconds = retryDelay({ httpStatus: failure.status, retryAfter }, attempt);
    if (attempt >= retries || seconds === undefined) throw failure;
    await wait(seconds * 1000, signal);
  }
}

const RECEIPT = "payment-response";

const paymentIn = ({ transaction, network, payer }: Payment): Payment => ({
  transaction,
  network,
  ...(payer && { payer }),
});

/**
 * Buys a portfolio snapshot of a wallet. The payment is signed once. If the response is lost or incomplete, or the settlement
 * is still pending, the same payment is sent again. It can't be charged twice.
 */
export async function buyPortfolio(
  { url, fetch, payer, spending, retries }: Connection,
  address: string,
  { chains, signal }: PortfolioOptions = {},
): Promise<PaidSnapshot> {
  const query = new URLSearchParams({ address, ...(chains && { chains: chains.join(",") }) });
  const request = (headers: Record<string, string> = {}) => fetch(`${url}/portfolio?${query}`, { headers, signal });

  const offer = await completeResponse(request, beforePayment, { url, retries, signal });
  if (offer.status === 200) return { snapshot: offer.body as PortfolioSnapshot, payment: null };
  if (!payer) {
    const message = "Portfolios require payment: pass a payer to createIntentryClient";
    throw new IntentryError(message, { status: 402, code: "payer_missing" });
  }

  const { headers, http } = await signPayment(payer, spending, offer);
  const paid = () => request(headers);
  const { status, header, body } = await completeResponse(paid, afterPayment, { url, retries, signal });
  if (status !== 200) throw refusal(status, body);
  return {
    snapshot: body as PortfolioSnapshot,
    payment: header(RECEIPT) ? paymentIn(http.getPaymentSettleResponse(header)) : null,
  };
}
