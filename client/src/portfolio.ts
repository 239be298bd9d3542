import type { LocalAccount } from "viem";
import type { PortfolioSnapshot } from "./api";
import { failureOf, IntentryError, refusal } from "./error";
import { type ErrorData, secondsToWait } from "./retry-link";
import { secondsOf, wait } from "./wait";

/** Who pays: an account that signs EIP-712 messages. The service sends the transaction; the payer needs no gas. */
export type Payer = Pick<LocalAccount, "address" | "signTypedData">;

/** What a payer may spend beyond the x402 library's own limits: a dollar a payment, in tokens that it knows. */
export type Spending = {
  /** The most that one payment may be, such as "$0.05". */
  maxPerPayment?: `$${string}`;
  /** Other tokens that may be paid in: their network (`eip155:8453`) and address. */
  tokens?: readonly { network: `eip155:${number}`; asset: string; maxAmountPerPayment?: string }[];
};

/** How a payment was settled. */
export type Payment = { transaction: string; network: string; payer?: string };

export type PaidSnapshot = {
  snapshot: PortfolioSnapshot;
  /** Null when nothing was paid, and when a proxy has taken away what the service said of the payment. */
  payment: Payment | null;
};

export type PortfolioOptions = {
  /** Which chains to include; base and ethereum if not given. */
  chains?: readonly string[];
  signal?: AbortSignal;
};

type Connection = { url: string; fetch: typeof fetch; payer?: Payer; spending?: Spending; retries: number };

/** After how many seconds a request that failed is to be made again; undefined, not at all. */
type Patience = (failed: ErrorData, attempt: number) => number | undefined;

/** Without a payment it only reads. */
const beforePaying: Patience = (failed, attempt) => secondsToWait({ data: failed }, "query", attempt);

/** With one there is something to lose: it is made again whenever the service says when, however late, and waits longer. */
const oncePaid: Patience = (failed, attempt) => failed.retryAfter ?? beforePaying(failed, attempt + 2);

/** An answer that was read to its end. */
type Answer = { status: number; header: (name: string) => string | null; body: unknown };

/** Makes a request until its answer, an offer or a snapshot, is here as a whole. */
async function answerOf(
  request: () => Promise<Response>,
  patience: Patience,
  { retries, signal }: { retries: number; signal: AbortSignal | undefined },
): Promise<Answer> {
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
    const seconds = patience({ httpStatus: failure.status, retryAfter }, attempt);
    if (attempt >= retries || seconds === undefined) throw failure;
    await wait(seconds * 1000, signal);
  }
}

/** The x402 libraries, which only those load who pay. */
async function paying(account: Payer, spending: Spending | undefined) {
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
 * Buys the snapshot of a wallet. A payment is signed once: when its answer, or a part of it, is lost, or when the service
 * can't say yet whether it was settled, the same payment is sent again, and can't be charged twice.
 */
export async function buyPortfolio(
  { url, fetch, payer, spending, retries }: Connection,
  address: string,
  { chains, signal }: PortfolioOptions = {},
): Promise<PaidSnapshot> {
  const query = new URLSearchParams({ address, ...(chains && { chains: chains.join(",") }) });
  const ask = (headers: Record<string, string> = {}) => fetch(`${url}/portfolio?${query}`, { headers, signal });

  const offer = await answerOf(ask, beforePaying, { retries, signal });
  if (offer.status === 200) return { snapshot: offer.body as PortfolioSnapshot, payment: null };
  if (!payer) throw new IntentryError("A portfolio is paid for: createIntentryClient needs a payer", 402);

  const http = await paying(payer, spending);
  const required = http.getPaymentRequiredResponse(offer.header, offer.body);
  const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(required));
  const { status, header, body } = await answerOf(() => ask(headers), oncePaid, { retries, signal });
  if (status !== 200) throw refusal(status, body);
  return {
    snapshot: body as PortfolioSnapshot,
    payment: header(RECEIPT) ? paymentIn(http.getPaymentSettleResponse(header)) : null,
  };
}
