import type { SignableIntent } from "../../common/intent";
import type { MetadataContent } from "../../common/intent-metadata";
import type { QuoteCommitment } from "../../common/quote-hash";
import type { Api, Hex, Intent, PreparedAction, Protocol, Uint } from "./api";
import { baseUrlOf } from "./base-url";
import { callsOf } from "./calls";
import { type Follow, follow } from "./follow";
import type { Signer, SubmitIntentArguments } from "./intents";
import type { Wallet } from "./market/wallet";
import type { Payer, Spending } from "./payer";
import type { PaidSnapshot, PortfolioOptions } from "./portfolio";
import { type Publishing, publishingOf } from "./publish";
import type { SendOptions, SentAction } from "./send";
import { type WaitOptions, waitForIntent } from "./wait-for-intent";

export { type AmountToken, formatAmount, formatTime } from "../../common/format";
export type { MetadataContent } from "../../common/intent-metadata";
export { PAYLOAD_ENCRYPTION } from "../../common/payload-encryption";
export type * from "./api";
export { type ClientErrorCode, IntentryError, type IntentryErrorCode } from "./error";
export { eventNamed } from "./event-named";
export type { Follow, FollowOptions, LiveMessage, Reconnection } from "./follow";
export * from "./hashing";
export { iterate } from "./iterate";
export type { Receipt, Wallet } from "./market/wallet";
export { parseAmount } from "./parse-amount";
export type { Payer, Spending } from "./payer";
export {
  decryptPayload,
  encryptPayload,
  generatePayloadKey,
  MAX_PAYLOAD_BYTES,
  type PayloadEnvelope,
  type PayloadKeyPair,
  type PayloadRecipient,
  parseEnvelope,
} from "./payload";
export type { PaidSnapshot, Payment, PortfolioOptions } from "./portfolio";
export type { CallOptions, Mutation, Query } from "./procedure";
export type { Publishing } from "./publish";
export type { SendOptions, SentAction } from "./send";
export { IntentEnded, IntentTimeout, type WaitOptions } from "./wait-for-intent";

/** The options of {@link createIntentryClient}. */
export type ClientOptions = {
  /** The base URL of the service, such as `http://localhost:3001`. */
  url: string;
  /** The write token, if the service requires one. */
  token?: string;
  /** The account that pays for portfolios. */
  payer?: Payer;
  /** Spending limits of the payer. */
  spending?: Spending;
  /** The maximum number of retries of a call. Default: 3. */
  retries?: number;
  /** The fetch to use. Default: the global one. */
  fetch?: typeof fetch;
};

/** Helpers for signing, hashing, publishing, waiting, subscribing and paying. */
export type Helpers = Publishing & {
  /** The indexed chain and its contracts. Requested once, then cached. */
  protocol: () => Promise<Protocol>;
  /** Signs an intent for the indexed IntentBook. Returns the arguments of `submitIntent`. */
  signIntent: (signer: Signer, intent: SignableIntent) => Promise<SubmitIntentArguments>;
  /** Signs the metadata of an intent as its owner. Returns the value of `owner_signature`. */
  signMetadata: (signer: Signer, intentHash: Hex, content: MetadataContent) => Promise<Hex>;
  /** The hash of a quote in the indexed CommerceRegistry. */
  quoteHash: (quote: QuoteCommitment) => Promise<Hex>;
  /**
   * Signs and sends the transactions of a prepared action with a viem wallet, in order, and waits until the index shows them.
   * An action with typed data is signed, and prepared again with the signature. An action that would revert is an
   * IntentryError with the code `transaction_failed`, and nothing is sent. Look at `summary` and `warnings` before: the
   * service wrote the transactions.
   *
   * @example
   * const action = await intentry.actions.submitBid({ from: wallet.account.address, intent_id: 5, amount_out: "955 tUSD" });
   * const { receipts, events } = await intentry.send(wallet, action);
   */
  send: (wallet: Wallet, action: PreparedAction, options?: SendOptions) => Promise<SentAction>;
  /** Waits until an intent is indexed and has the given status (default: FILLED). It follows the intent's events. Throws IntentEnded or IntentTimeout. */
  waitForIntent: (id: Uint, options?: WaitOptions) => Promise<Intent>;
  /** Follows protocol events. Reconnects after a lost connection, with backoff, and resumes after the last message. */
  follow: Follow;
  /** Buys a portfolio snapshot of a wallet with the client's payer. */
  portfolio: (address: string, options?: PortfolioOptions) => Promise<PaidSnapshot>;
};

/** A client: the service's calls by resource, such as `agents.get`, and the helpers. */
export type IntentryClient = Api & Helpers;

const DEFAULT_RETRIES = 3;

/**
 * Creates a client of a service. Calls are typed, concurrent calls are batched, and temporary failures are retried after the
 * service's Retry-After.
 *
 * @example
 * const intentry = createIntentryClient({ url: "http://localhost:3001" });
 * const agent = await intentry.agents.get({ agentId: "1" });
 */
export function createIntentryClient({
  url,
  token,
  payer,
  spending,
  retries = DEFAULT_RETRIES,
  fetch: send = globalThis.fetch,
}: ClientOptions): IntentryClient {
  const base = baseUrlOf(url);
  // A browser's fetch must not be called as a method of another object.
  const fetch: typeof globalThis.fetch = (input, init) => send(input, init);
  const calls = callsOf({ url: base, token, retries, fetch });

  let protocol: Promise<Protocol> | undefined;
  // Modules that need viem or x402 are imported when they are used. A client that only reads stays small.
  const helpers: Helpers = {
    ...publishingOf(calls.documents),
    protocol() {
      protocol ??= calls.status.protocol().catch((error: unknown) => {
        protocol = undefined;
        throw error;
      });
      return protocol;
    },
    async signIntent(signer, intent) {
      const [{ chain_id: chainId, contracts }, { signIntent }] = await Promise.all([
        helpers.protocol(),
        import("./lazy.js"),
      ]);
      return signIntent(signer, intent, { chainId, intentBook: contracts.IntentBook });
    },
    async signMetadata(signer, intentHash, content) {
      const [{ chain_id: chainId, contracts }, { signMetadata }] = await Promise.all([
        helpers.protocol(),
        import("./lazy.js"),
      ]);
      return signMetadata(signer, { chainId, intentHash, intentBook: contracts.IntentBook }, content);
    },
    async quoteHash(quote) {
      const [{ chain_id: chainId, contracts }, { quoteHash }] = await Promise.all([
        helpers.protocol(),
        import("./lazy.js"),
      ]);
      return quoteHash(chainId, contracts.CommerceRegistry, quote);
    },
    async send(wallet, action, options = {}) {
      const { send } = await import("./send");
      return send(calls, wallet, action, options);
    },
    waitForIntent: (id, options) => waitForIntent({ get: calls.intents.get, follow: helpers.follow }, id, options),
    follow: (filter = {}, options = {}) => follow({ url: base, fetch }, filter, options),
    async portfolio(address, options) {
      const { buyPortfolio } = await import("./portfolio");
      return buyPortfolio({ url: base, fetch, payer, spending, retries }, address, options);
    },
  };
  return new Proxy(helpers as IntentryClient, {
    get: (target, name) => (Object.hasOwn(target, name) ? target[name as keyof Helpers] : calls[name as keyof Api]),
  });
}
