import type { LocalAccount } from "viem";
import type { PortfolioSnapshot } from "./api";
import { failureOf, IntentryError, refusal } from "./error";
import { type ErrorData, secondsToWait } from "./retry-link";
import { secondsOf, wait } from "./wait";

/** An account that signs EIP-712 messages. The service sends the transaction, so the payer needs no gas. */
export type Payer = Pick<LocalAccount, "address" | "signTypedData">;

/** Changes the spending limits of the x402 library. Its defaults are $1 per payment and the tokens that it knows. */
export type Spending = {
  /** The maximum amount of one payment, such as "$0.05". */
  maxPerPayment?: `$${string}`;
  /** Additional accepted tokens: network (such as `eip155:8453`) and address. */
  tokens?: readonly { network: `eip155:${number}`; asset: string; maxAmountPerPayment?: string }[];
};

/** A settled payment. */
export type Payment = { transaction: string; network: string; payer?: string };

export type PaidSnapshot = {
  snapshot: PortfolioSnapshot;
  /** Null if nothing was paid, or if a proxy removed the PAYMENT-RESPONSE header. */
  payment: Payment | null;
};

export type PortfolioOptions = {
  /** The chains to include. Default: base and ethereum. */
  chains?: readonly string[];
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
  { retries, signal }: { retries: number; signal: AbortSignal | undefined },
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
      failure = new IntentryError(error instanceof Error ? error.message : String(error), undefined, { cause: error });
    }
    const seconds = retryDelay({ httpStatus: failure.status, retryAfter }, attempt);
    if (attempt >= retries || seconds === undefined) throw failure;
    await wait(seconds * 1000, signal);
  }
}

/** Loads the x402 libraries, which only a paying client needs. */
async function paymentClient(account: Payer, spending: Spending | undefined) {
  const [{ x402Client, x402HTTPClient }, { ExactEvmScheme }] = await Promise.all([
    import("@x402/fetch"),
    import("@x402/evm/exact/client"),
  ]);
  const client = x402Client.fromConfig({
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
    spendControls: {
      ...(spending?.maxPerPayment && { maxAmountPerPayment: spending.maxPerPayment }),
      ...(spending?.tokens && { allowedAssets: [...spending.tokens] }),
    },
  });
  return new x402HTTPClient(client);
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

  const offer = await completeResponse(request, beforePayment, { retries, signal });
  if (offer.status === 200) return { snapshot: offer.body as PortfolioSnapshot, payment: null };
  if (!payer) throw new IntentryError("Portfolios require payment: pass a payer to createIntentryClient", 402);

  const http = await paymentClient(payer, spending);
  const required = http.getPaymentRequiredResponse(offer.header, offer.body);
  const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(required));
  const { status, header, body } = await completeResponse(() => request(headers), afterPayment, { retries, signal });
  if (status !== 200) throw refusal(status, body);
  return {
    snapshot: body as PortfolioSnapshot,
    payment: header(RECEIPT) ? paymentIn(http.getPaymentSettleResponse(header)) : null,
  };
}
