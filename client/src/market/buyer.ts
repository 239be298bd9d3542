import { type Address, encodeFunctionData, type Hex, isAddressEqual, zeroHash } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { QuoteCommitment } from "../../../common/quote-hash";
import type { ReceiptWithEvidence, SearchResult } from "../api";
import { documentHash } from "../documents";
import { hasCode, IntentryError } from "../error";
import { reconnectDelay } from "../follow";
import type { IntentryClient } from "../index";
import { iterate } from "../iterate";
import { encryptPayload } from "../payload";
import { wait } from "../wait";
import { committedQuote } from "./committed-quote";
import { type Fields, fieldsIn, fieldsOf, unusable } from "./fields";
import { inTurns } from "./in-turns";
import { indexed } from "./indexed";
import { orderMessage } from "./order-signature";
import { paymentsOf, transferOf } from "./payments";
import { requirePolicyUpdate } from "./policy-update";
import { postJson } from "./post-json";
import { needsFacilitator, quoteIn, quoteOf, type Rail, railOf, rails, type VerifiedQuote } from "./quote";
import type { SwapOptions } from "./swap";
import { until } from "./until";
import { senderOf, type Wallet } from "./wallet";

/** The options of {@link buyer}. */
export type BuyerOptions = {
  /** The client of the service that finds services and stores documents. */
  intentry: IntentryClient;
  /** The account that pays. */
  wallet: Wallet;
  /** Sends a message to a merchant and returns its answer. Default: a POST of JSON. */
  send?: (url: string, message: object) => Promise<unknown>;
  /** Whether the buyer may change its own policies so that they allow the payment. Default: false. */
  updatesPolicies?: boolean;
  /** What to swap for the rail `swap`. */
  swapFrom?: SwapOptions;
};

/** What to buy, and how to pay. */
export type Purchase = {
  /** The service, from {@link Buyer.find}. */
  service: Pick<SearchResult, "id" | "merchant_id">;
  /** What the merchant needs to know. It is encrypted for the merchant. */
  order: unknown;
  /** How to pay. */
  rail: Rail;
  /** The maximum price, in the smallest unit of the token. */
  maxAmount: bigint;
  /** The only token to pay with. */
  token: Address;
  /**
   * Your name of this purchase, at most 160 characters. With the same name, also after a restart, `buy` continues the purchase
   * and pays once. Default: a random name.
   */
  id?: string;
};

/** A buyer's functions, in the order of a purchase. `buy` calls all but the first. */
export type Buyer = {
  /** The active services that match a text, best first. */
  find: (text: string) => Promise<readonly SearchResult[]>;
  /** Requests a quote and verifies it: its hash, its terms and its commitment on chain. */
  quote: (purchase: Purchase) => Promise<VerifiedQuote>;
  /** Checks the payment of a quote against the account's policies. Throws if they deny it. */
  preflight: (verified: VerifiedQuote) => Promise<void>;
  /**
   * Pays a quote, sends the signed order, and returns the id of the receipt. Throws {@link UnansweredPayment} if the merchant
   * does not answer. Called again for the same quote, also by another process, it finds the payment and pays nothing.
   */
  pay: (verified: VerifiedQuote, order: unknown) => Promise<bigint>;
  /** Waits until a receipt is fulfilled, and checks it against the quote, the chain and its evidence. */
  check: (verified: VerifiedQuote, receiptId: bigint) => Promise<ReceiptWithEvidence>;
  /** Buys: quote, preflight, pay, check. */
  buy: (purchase: Purchase) => Promise<ReceiptWithEvidence>;
};

/** How often a paid order is sent to a merchant that does not answer. */
const ATTEMPTS = 5;

/** The merchant did not answer after the payment. Its code is `payment_unanswered`. */
export class UnansweredPayment extends IntentryError {
  override name = "UnansweredPayment";

  constructor(
    /** The paid quote. Call {@link Buyer.pay} with it again: nothing is paid twice. */
    readonly verified: VerifiedQuote,
    cause: unknown,
  ) {
    super(`The merchant did not answer to the payment of quote ${verified.quoteHash}`, {
      code: "payment_unanswered",
      cause,
    });
  }
}

/**
 * Creates a buyer: it finds a service, requests and verifies a quote, checks its policies, pays on any rail, sends the order
 * encrypted, and checks the receipt.
 *
 * @example
 * const { find, buy } = await buyer({ intentry, wallet });
 * const [service] = await find("translate");
 * const receipt = await buy({ service, order: { text: "Good morning" }, rail: "transfer", token, maxAmount: 1_000_000n });
 */
export async function buyer(options: BuyerOptions): Promise<Buyer> {
  const { intentry, wallet, send: sendMessage = postJson(fetch), updatesPolicies = false, swapFrom } = options;
  const { contracts } = await intentry.protocol();
  const registry = { abi: commerceRegistryAbi, address: contracts.CommerceRegistry } as const;
  const agent = wallet.account.address;

  /** The newest catalog of a merchant is the terms of its quote. Its text must have that hash. */
  const catalogOf = async (hash: Hex): Promise<Fields> => {
    const text = await intentry.documents.getCatalog.query({ hash });
    if (documentHash(text) !== hash) throw unusable("The catalog has another hash than the quote's terms");
    return fieldsIn(text, "The catalog");
  };

  /** The text of a quote request. It is the same for the same purchase. */
  const requestFor = ({ service, rail, id = crypto.randomUUID() }: Purchase) =>
    JSON.stringify({
      request_id: id,
      merchant_id: service.merchant_id,
      service_numeric_id: service.id,
      agent: agent.toLowerCase(),
      payment_rail: rail,
    });

  /** A quote, and the text of the response with it. */
  type Offered = { offered: QuoteCommitment; response?: string };

  const request = async (text: string, url: string): Promise<Offered> => {
    const { request_hash } = await intentry.publishQuoteRequest(text);
    const answer = fieldsOf(await sendMessage(url, { type: "quote", request_hash }), "The merchant's answer");
    const response = await intentry.documents.getQuoteResponse.query({ hash: answer.hash("response_hash") });
    return { offered: quoteIn(response), response };
  };

  /** The newest quote for a request, if the merchant committed to one. */
  const earlierQuote = async (requestHash: Hex, merchant_id: string): Promise<Offered | undefined> => {
    await indexed(intentry, await wallet.getBlockNumber());
    for await (const found of iterate(intentry.quotes.list, { agent, merchant_id }))
      if (found.resource_hash === requestHash) return { offered: quoteOf(found) };
    return undefined;
  };

  const quote: Buyer["quote"] = async (purchase) => {
    const { service, rail, maxAmount, token } = purchase;
    if (service.merchant_id === null) throw unusable("The search result is not a service of a merchant");
    const url = await merchantUrl(intentry, service);
    const text = requestFor(purchase);
    const requestHash = documentHash(text);
    const earlier = purchase.id === undefined ? undefined : await earlierQuote(requestHash, service.merchant_id);
    const { offered, response } = earlier ?? (await request(text, url));
    const quoteHash = await intentry.quoteHash(offered);
    const committed = await committedQuote(wallet, registry.address, quoteHash);
    const settled = committed?.settled ?? false;
    const { timestamp } = await wallet.getBlock();
    const problems = [
      [isAddressEqual(offered.agent, agent), "is for another agent"],
      [String(offered.merchantId) === service.merchant_id, "is of another merchant"],
      [String(offered.serviceNumericId) === service.id, "is for another service"],
      [offered.resourceHash === requestHash, "is for another request"],
      [offered.paymentRail === rails.indexOf(rail), "has another payment rail"],
      [isAddressEqual(offered.token, token), "is in another token"],
      [offered.amount <= maxAmount, `is for ${offered.amount}, more than ${maxAmount}`],
      // The chain has it only if the merchant's owner committed to exactly these fields.
      [committed, "is not committed on chain"],
      [!settled || earlier, "is already settled"],
      [settled || offered.expiresAt > timestamp, "has expired"],
    ] as const;
    for (const [isGood, problem] of problems) if (!isGood) throw unusable(`The quote ${problem}`);
    const { payoutAddress } = await wallet.readContract({
      ...registry,
      functionName: "getMerchant",
      args: [offered.merchantId],
    });
    // An earlier quote was verified when it was new, and an authorization pays exactly its amount.
    if (rail === "x402" && response !== undefined) verifyRequirement(response, offered, payoutAddress);
    const encryption = (await catalogOf(offered.termsHash)).object("encryption");
    const merchant = { url, keyId: encryption.text("key_id"), publicKey: encryption.text("public_key") };
    return { quote: offered, quoteHash, payTo: payoutAddress, merchant };
  };

  const preflight: Buyer["preflight"] = async (verified) => {
    const { token, facilitator, amount, paymentRail } = verified.quote;
    const isSigned = needsFacilitator(railOf(paymentRail));
    const input = isSigned
      ? { account: agent, payment: { merchant: verified.payTo, token, facilitator, amount } }
      : { account: agent, target: token, data: encodeFunctionData(transferOf(verified)) };
    const checked = await intentry.preflight.check.query(input);
    if (checked.allowed) return;
    if (!updatesPolicies)
      throw new IntentryError(`The policies of ${agent} deny the payment: ${checked.reasons.join("; ")}`, {
        code: "policy_denied",
      });
    const payment = { agent, token, payTo: verified.payTo };
    for (const { call } of checked.required_policy_updates) requirePolicyUpdate(call, contracts.PolicyModule, payment);
    for (const { call } of checked.required_policy_updates)
      await senderOf(wallet)(() => wallet.sendTransaction({ to: call.to, data: call.data }));
    await until("The updated policies were not indexed", async () =>
      (await intentry.preflight.check.query(input)).allowed ? true : undefined,
    );
  };

  /** Encrypts and signs an order. Returns the message to the merchant, without the payment. */
  const signedOrder = async ({ quote: { merchantId }, quoteHash, merchant }: VerifiedQuote, order: unknown) => {
    const { publicKey, keyId } = merchant;
    const envelope = await encryptPayload(order, { publicKey, keyId, merchantId, agent, quoteHash });
    const { payload_hash } = await intentry.publishFulfillmentPayload(envelope);
    const hashes = { quoteHash, payloadHash: payload_hash };
    const signature = await wallet.signTypedData(orderMessage(registry.address, wallet.chain.id, hashes));
    return { type: "payment", quote_hash: quoteHash, payload_hash, signature };
  };

  const { payment, isPaid } = paymentsOf({ intentry, wallet, registry: registry.address, swapFrom });

  /** Pays a quote. Returns the message to the merchant. */
  const paidOrder = async (verified: VerifiedQuote, order: unknown): Promise<object> => ({
    ...(await signedOrder(verified, order)),
    ...(await payment(verified)),
  });

  /** The messages with a payment. Each is paid once, and may be sent several times. */
  const paidOrders = new Map<Hex, Promise<object>>();

  const pay: Buyer["pay"] = async (verified, order) => {
    const { quoteHash, merchant } = verified;
    const paying = paidOrders.get(quoteHash) ?? paidOrder(verified, order);
    paidOrders.set(quoteHash, paying);
    const message = await paying.catch((error: unknown) => {
      paidOrders.delete(quoteHash);
      throw error;
    });
    for (let attempt = 1; ; attempt++)
      try {
        return fieldsOf(await sendMessage(merchant.url, message), "The merchant's answer").uint("receipt_id");
      } catch (error) {
        if (hasCode(error, "invalid_quote")) throw error;
        if (attempt === ATTEMPTS) throw new UnansweredPayment(verified, error);
        await wait(reconnectDelay(attempt, undefined));
      }
  };

  const check: Buyer["check"] = async ({ quote: offered, quoteHash }, receiptId) => {
    const onChain = () => wallet.readContract({ ...registry, functionName: "getReceipt", args: [receiptId] });
    const recorded = await onChain();
    if (recorded.quoteHash !== quoteHash || recorded.amount !== offered.amount)
      throw unusable(`Receipt ${receiptId} is not for this quote`);
    const receipt = await until(`Receipt ${receiptId} was not fulfilled`, async () => {
      const found = await intentry.receipts.get.query({ id: receiptId }).catch((error: unknown) => {
        if (hasCode(error, "not_found")) return undefined;
        throw error;
      });
      return found?.fulfillment_evidence ? found : undefined;
    });
    const { evidence_hash } = receipt.fulfillment_evidence ?? { evidence_hash: zeroHash };
    const text = await intentry.documents.getFulfillmentEvidence.query({ hash: evidence_hash });
    const isProven =
      documentHash(text) === evidence_hash && fieldsIn(text, "The evidence").uint("receipt_id") === receiptId;
    if (!isProven || (await onChain()).fulfillmentHash !== evidence_hash)
      throw unusable(`The evidence of receipt ${receiptId} is not the one on chain`);
    return receipt;
  };

  const inTurn = inTurns<string | symbol>();

  return {
    async find(text) {
      return (await intentry.search.find.query({ q: text, type: "service", active: true })).results;
    },
    quote,
    preflight,
    pay,
    check,
    buy: (purchase) =>
      inTurn(purchase.id ?? Symbol(), async () => {
        const verified = await quote(purchase);
        const isContinued = purchase.id !== undefined && (await isPaid(verified));
        if (!isContinued) await preflight(verified);
        return check(verified, await pay(verified, purchase.order));
      }),
  };
}

/** Throws unless a response has the x402 payment requirement that its quote commits to, and it asks for the same payment. */
function verifyRequirement(response: string, quote: QuoteCommitment, payTo: Address): void {
  const canonical = fieldsIn(response, "The quote response").text("payment_requirement");
  if (documentHash(canonical) !== quote.x402PayloadHash)
    throw unusable("The quote commits to another x402 payment requirement");
  const requirement = fieldsIn(canonical, "The payment requirement");
  const isSame =
    isAddressEqual(requirement.hex("pay_to", 20), payTo) &&
    isAddressEqual(requirement.hex("asset", 20), quote.token) &&
    requirement.uint("amount") === quote.amount;
  if (!isSame) throw unusable("The x402 payment requirement differs from the quote");
}

/** The URL in the resolved metadata of a service, where its merchant answers. */
async function merchantUrl(intentry: IntentryClient, { id }: Purchase["service"]): Promise<string> {
  const { metadata } = await intentry.services.get.query({ id, include: "metadata" });
  const url = metadata?.content?.url;
  if (typeof url !== "string" || !URL.canParse(url)) throw unusable(`The metadata of service ${id} has no url`);
  return url;
}
