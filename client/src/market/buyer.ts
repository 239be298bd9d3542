import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual, zeroHash } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { ReceiptWithEvidence, SearchResult } from "../api";
import { documentHash } from "../documents";
import { IntentryError, type IntentryErrorCode } from "../error";
import { reconnectDelay } from "../follow";
import type { IntentryClient } from "../index";
import { encryptPayload } from "../payload";
import type { QuoteCommitment } from "../quote-hash";
import { wait } from "../wait";
import { authorizationToJson, signAuthorization } from "./authorization";
import { type Fields, fieldsIn, fieldsOf, unusable } from "./fields";
import { orderMessage } from "./order-signature";
import { postJson } from "./post-json";
import { needsFacilitator, quoteIn, type Rail, railOf, rails } from "./quote";
import { type SwapOptions, swap } from "./swap";
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
};

/** A verified quote. */
export type VerifiedQuote = {
  quote: QuoteCommitment;
  quoteHash: Hex;
  /** The merchant's payout address on chain. */
  payTo: Address;
  /** Where the merchant answers, and its key for encrypted payloads. */
  merchant: { url: string; keyId: string; publicKey: string };
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
   * does not answer. Called again for the same quote, it sends the same payment again.
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
    /** The paid quote. Call {@link Buyer.pay} with it again: the same payment is sent, and nothing is paid twice. */
    readonly verified: VerifiedQuote,
    cause: unknown,
  ) {
    super(`The merchant did not answer to the payment of quote ${verified.quoteHash}`, {
      code: "payment_unanswered",
      cause,
    });
  }
}

const hasCode = (error: unknown, code: IntentryErrorCode) => error instanceof IntentryError && error.code === code;

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
  const send = senderOf(wallet);
  const agent = wallet.account.address;

  /** The newest catalog of a merchant is the terms of its quote. Its text must have that hash. */
  const catalogOf = async (hash: Hex): Promise<Fields> => {
    const text = await intentry.documents.getCatalog.query({ hash });
    if (documentHash(text) !== hash) throw unusable("The catalog has another hash than the quote's terms");
    return fieldsIn(text, "The catalog");
  };

  const request = async ({ service, rail }: Purchase, url: string) => {
    const text = JSON.stringify({
      request_id: crypto.randomUUID(),
      merchant_id: service.merchant_id,
      service_numeric_id: service.id,
      agent: agent.toLowerCase(),
      payment_rail: rail,
    });
    const { request_hash } = await intentry.publishQuoteRequest(text);
    const answer = fieldsOf(await sendMessage(url, { type: "quote", request_hash }), "The merchant's answer");
    return {
      request_hash,
      response: await intentry.documents.getQuoteResponse.query({ hash: answer.hex("response_hash", 32) }),
    };
  };

  const quote: Buyer["quote"] = async (purchase) => {
    const { service, rail, maxAmount, token } = purchase;
    const url = await merchantUrl(intentry, service);
    const { request_hash, response } = await request(purchase, url);
    const offered = quoteIn(response);
    const quoteHash = await intentry.quoteHash(offered);
    const { timestamp } = await wallet.getBlock();
    const problems = [
      [isAddressEqual(offered.agent, agent), "is for another agent"],
      [String(offered.merchantId) === service.merchant_id, "is of another merchant"],
      [String(offered.serviceNumericId) === service.id, "is for another service"],
      [offered.resourceHash === request_hash, "is for another request"],
      [offered.paymentRail === rails.indexOf(rail), "has another payment rail"],
      [isAddressEqual(offered.token, token), "is in another token"],
      [offered.amount <= maxAmount, `is for ${offered.amount}, more than ${maxAmount}`],
      [offered.expiresAt > timestamp, "has expired"],
    ] as const;
    for (const [isGood, problem] of problems) if (!isGood) throw unusable(`The quote ${problem}`);
    // The chain has it only if the merchant's owner committed to exactly these fields.
    const { exists, settled } = await wallet.readContract({ ...registry, functionName: "getQuote", args: [quoteHash] });
    if (!exists || settled) throw unusable(`The quote is ${exists ? "already settled" : "not committed on chain"}`);
    const { payoutAddress } = await wallet.readContract({
      ...registry,
      functionName: "getMerchant",
      args: [offered.merchantId],
    });
    if (rail === "x402") verifyRequirement(response, offered, payoutAddress);
    const encryption = (await catalogOf(offered.termsHash)).object("encryption");
    const merchant = { url, keyId: encryption.text("key_id"), publicKey: encryption.text("public_key") };
    return { quote: offered, quoteHash, payTo: payoutAddress, merchant };
  };

  const transferOf = ({ quote: { amount }, payTo }: VerifiedQuote) =>
    ({ abi: erc20Abi, functionName: "transfer", args: [payTo, amount] }) as const;

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
    for (const { call } of checked.required_policy_updates)
      await send(() => wallet.sendTransaction({ to: call.to, data: call.data }));
    await until("The update of the policies", async () =>
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

  /** The messages with a payment. Each is paid once, and may be sent several times. */
  const paidOrders = new Map<Hex, Promise<object>>();

  /** Pays a quote on its rail. Returns the message to the merchant. */
  const paidOrder = async (verified: VerifiedQuote, order: unknown): Promise<object> => {
    const { quote: offered, quoteHash, payTo } = verified;
    const rail = railOf(offered.paymentRail);
    let mayBePaid = false;
    try {
      const message = await signedOrder(verified, order);
      if (needsFacilitator(rail)) {
        const transfer = { to: payTo, value: offered.amount, validBefore: offered.expiresAt, nonce: quoteHash };
        const authorization = await signAuthorization(wallet, offered.token, transfer);
        return { ...message, authorization: authorizationToJson(authorization) };
      }
      if (rail === "swap") {
        if (!swapFrom) throw unusable("The rail swap needs swapFrom");
        await swap({ intentry, wallet, send }, { token: offered.token, amount: offered.amount }, swapFrom);
      }
      mayBePaid = true;
      const transfer = { ...transferOf(verified), address: offered.token };
      const { transactionHash } = await send(() => wallet.writeContract(transfer));
      return { ...message, transaction: transactionHash };
    } catch (error) {
      // A transfer whose outcome is unknown must not be repeated.
      if (!mayBePaid || hasCode(error, "transaction_failed")) paidOrders.delete(quoteHash);
      throw error;
    }
  };

  const pay: Buyer["pay"] = async (verified, order) => {
    const { quoteHash, merchant } = verified;
    const paying = paidOrders.get(quoteHash) ?? paidOrder(verified, order);
    paidOrders.set(quoteHash, paying);
    const message = await paying;
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
    const onChain = await wallet.readContract({ ...registry, functionName: "getReceipt", args: [receiptId] });
    if (onChain.quoteHash !== quoteHash || onChain.amount !== offered.amount)
      throw unusable(`Receipt ${receiptId} is not for this quote`);
    const receipt = await until(`The fulfillment of receipt ${receiptId}`, async () => {
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
    if (!isProven || receipt.fulfillment_hash !== evidence_hash)
      throw unusable(`The evidence of receipt ${receiptId} is not the one on chain`);
    return receipt;
  };

  return {
    async find(text) {
      return (await intentry.search.find.query({ q: text, type: "service", active: true })).results;
    },
    quote,
    preflight,
    pay,
    check,
    async buy(purchase) {
      const verified = await quote(purchase);
      await preflight(verified);
      return check(verified, await pay(verified, purchase.order));
    },
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
