import type { LocalAccount } from "viem";

import type { PortfolioSnapshot } from "./api";

import { failureOf, IntentryError } from "./error";
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

export type PaidSnapshot = { snapshot: PortfolioSnapshot; payment: Payment | null };

export type PortfolioOptions = {
  /** Which chains to include; base and ethereum if not given. */
  chains?: readonly string[];
  signal?: AbortSignal;
};

type Connection = { url: string; fetch: typeof fetch; payer?: Payer; spending?: Spending; retries: number };

const DEFAULT_WAIT_SECONDS = 1;

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

/**
 * Buys the snapshot of a wallet. A payment is signed once: when its answer is lost, or when the service can't say yet
 * whether it was settled, the same payment is sent again, and can't be charged twice.
 */
export async function buyPortfolio(
  { url, fetch, payer, spending, retries }: Connection,
  address: string,
  { chains, signal }: PortfolioOptions = {},
): Promise<PaidSnapshot> {
  const query = new URLSearchParams({ address, ...(chains && { chains: chains.join(",") }) });
  const ask = (headers: Record<string, string> = {}) => fetch(`${url}/portfolio?${query}`, { headers, signal });

  const offer = await ask();
  if (offer.status === 200) return { snapshot: (await offer.json()) as PortfolioSnapshot, payment: null };
  if (offer.status !== 402) throw await failureOf(offer);
  if (!payer) throw new IntentryError("A portfolio is paid for: createIntentryClient needs a payer", 402);

  const http = await paying(payer, spending);
  const required = http.getPaymentRequiredResponse((name) => offer.headers.get(name), await offer.json());
  const headers = http.encodePaymentSignatureHeader(await http.createPaymentPayload(required));
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries || signal?.aborted;
    const response = await ask(headers).catch((error: unknown) => {
      if (isLast) throw error;
      return null;
    });
    if (response?.status === 200) {
      const { transaction, network, payer } = http.getPaymentSettleResponse((name) => response.headers.get(name));
      const snapshot = (await response.json()) as PortfolioSnapshot;
      return { snapshot, payment: { transaction, network, ...(payer && { payer }) } };
    }
    const seconds = secondsOf(response?.headers.get("retry-after") ?? null);
    // What has no time to come back at is the service's last word.
    if (response && (isLast || seconds === undefined)) throw await failureOf(response);
    await wait((seconds ?? DEFAULT_WAIT_SECONDS) * 1000, signal);
  }
}
