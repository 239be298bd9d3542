import type {
  Api,
  CatalogPublished,
  EventFilter,
  Hex,
  Intent,
  Protocol,
  QuoteRequestPublished,
  QuoteResponsePublished,
  Uint,
} from "./api";
import { callsOf } from "./calls";
import { documentHash } from "./documents";
import { type FollowOptions, follow, type LiveMessage } from "./follow";
import { type SignableIntent, type Signer, type SubmitIntentArguments, signIntent, signTypedData } from "./intents";
import { type MetadataContent, metadataTypedData } from "./metadata";
import { buyPortfolio, type PaidSnapshot, type Payer, type PortfolioOptions, type Spending } from "./portfolio";
import { type QuoteCommitment, quoteHash } from "./quote-hash";
import { type WaitOptions, waitForIntent } from "./wait-for-intent";

export type * from "./api";
export { documentHash } from "./documents";
export { IntentryError } from "./error";
export type { FollowOptions, LiveMessage } from "./follow";
export {
  anyExecution,
  intentHash,
  type SignableIntent,
  type Signer,
  type SubmitIntentArguments,
  signIntent,
} from "./intents";
export { iterate } from "./iterate";
export type { MetadataContent } from "./metadata";
export type { PaidSnapshot, Payer, Payment, PortfolioOptions, Spending } from "./portfolio";
export type { CallOptions, Mutation, Query } from "./procedure";
export { type QuoteCommitment, quoteHash } from "./quote-hash";
export { IntentEnded, type WaitOptions } from "./wait-for-intent";

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
  fetch?: typeof fetch;
};

/** The fields stored with a document. The service may read omitted ones from the document itself. */
type Fields<Operation extends { mutate: (...parameters: never) => unknown }, Text extends string> = Omit<
  NonNullable<Parameters<Operation["mutate"]>[0]>,
  Text | "expected_hash"
>;

type Documents = Api["documents"];

/** Helpers for signing, hashing, publishing, waiting, subscribing and paying. */
export type Helpers = {
  /** The indexed chain and its contracts. Requested once, then cached. */
  protocol: () => Promise<Protocol>;
  /** Signs an intent for the indexed IntentBook. Returns the arguments of `submitIntent`. */
  signIntent: (signer: Signer, intent: SignableIntent) => Promise<SubmitIntentArguments>;
  /** Signs the metadata of an intent as its owner. Returns the value of `owner_signature`. */
  signMetadata: (signer: Signer, intentHash: Hex, content: MetadataContent) => Promise<Hex>;
  /** The hash of a quote in the indexed CommerceRegistry. */
  quoteHash: (quote: QuoteCommitment) => Promise<Hex>;
  /** Waits until an intent is indexed and has the given status (default: FILLED). */
  waitForIntent: (id: Uint, options?: WaitOptions) => Promise<Intent>;
  /** Publish a document, and check that the service stored exactly this text. */
  publishCatalog: (
    text: string,
    fields?: Fields<Documents["publishCatalog"], "catalog_json">,
  ) => Promise<CatalogPublished>;
  publishQuoteRequest: (
    text: string,
    fields?: Fields<Documents["publishQuoteRequest"], "quote_request_json">,
  ) => Promise<QuoteRequestPublished>;
  publishQuoteResponse: (
    text: string,
    fields?: Fields<Documents["publishQuoteResponse"], "quote_response_json">,
  ) => Promise<QuoteResponsePublished>;
  /** Follows protocol events. Reconnects after a lost connection and resumes after the last message. */
  follow: (filter?: EventFilter, options?: FollowOptions) => AsyncGenerator<LiveMessage, void, undefined>;
  /** Buys a portfolio snapshot of a wallet. */
  portfolio: (address: string, options?: PortfolioOptions) => Promise<PaidSnapshot>;
};

export type IntentryClient = Api & Helpers;

const DEFAULT_RETRIES = 3;

/** Throws if the service stored the document under another hash, and so stored another text. */
function verified<Published>(published: Published, hash: Hex, expected: Hex): Published {
  if (hash !== expected) throw new Error(`The service stored ${hash}, but the hash of the text is ${expected}`);
  return published;
}

/**
 * Creates a client of a service. Calls are typed, concurrent calls are batched, and temporary failures are retried after the
 * service's Retry-After.
 *
 * @example
 * const intentry = createIntentryClient({ url: "http://localhost:3001" });
 * const agent = await intentry.agents.get.query({ agentId: "1" });
 */
export function createIntentryClient({
  url,
  token,
  payer,
  spending,
  retries = DEFAULT_RETRIES,
  fetch: send = globalThis.fetch,
}: ClientOptions): IntentryClient {
  // Throws on an invalid URL, which would otherwise look like an unreachable service.
  const base = new URL(url).href.replace(/\/+$/, "");
  // A browser's fetch must not be called as a method of another object.
  const fetch: typeof globalThis.fetch = (input, init) => send(input, init);
  const calls = callsOf({ url: base, token, retries, fetch });

  let protocol: Promise<Protocol> | undefined;
  const helpers: Helpers = {
    protocol() {
      protocol ??= calls.status.protocol.query().catch((error: unknown) => {
        protocol = undefined;
        throw error;
      });
      return protocol;
    },
    async signIntent(signer, intent) {
      const { chain_id: chainId, contracts } = await helpers.protocol();
      return signIntent(signer, intent, { chainId, intentBook: contracts.IntentBook });
    },
    async signMetadata(signer, intentHash, content) {
      const { chain_id: chainId, contracts } = await helpers.protocol();
      return signTypedData(signer, metadataTypedData({ chainId, intentHash }, contracts.IntentBook, content));
    },
    async quoteHash(quote) {
      const { chain_id: chainId, contracts } = await helpers.protocol();
      return quoteHash(chainId, contracts.CommerceRegistry, quote);
    },
    waitForIntent: (id, options) => waitForIntent(calls, id, options),
    async publishCatalog(text, fields) {
      const expected_hash = documentHash(text);
      const published = await calls.documents.publishCatalog.mutate({ catalog_json: text, expected_hash, ...fields });
      return verified(published, published.catalog_hash, expected_hash);
    },
    async publishQuoteRequest(text, fields) {
      const expected_hash = documentHash(text);
      const input = { quote_request_json: text, expected_hash, ...fields };
      const published = await calls.documents.publishQuoteRequest.mutate(input);
      return verified(published, published.request_hash, expected_hash);
    },
    async publishQuoteResponse(text, fields) {
      const expected_hash = documentHash(text);
      const input = { quote_response_json: text, expected_hash, ...fields };
      const published = await calls.documents.publishQuoteResponse.mutate(input);
      return verified(published, published.response_hash, expected_hash);
    },
    follow: (filter = {}, options = {}) => follow({ url: base, fetch }, filter, options),
    portfolio: (address, options) => buyPortfolio({ url: base, fetch, payer, spending, retries }, address, options),
  };
  return new Proxy(helpers as IntentryClient, {
    get: (target, name) => (Object.hasOwn(target, name) ? target[name as keyof Helpers] : calls[name as keyof Api]),
  });
}
