import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { QuoteCommitment } from "../../../common/quote-hash";
import { documentHash } from "../documents";
import { hasCode } from "../error";
import { fulfillmentEvidence } from "../evidence";
import type { IntentryClient } from "../index";
import { decryptPayload, type PayloadKeyPair, parseEnvelope } from "../payload";
import { committedQuote } from "./committed-quote";
import { type Fields, fieldsIn, fieldsOf, unusable } from "./fields";
import { inTurns } from "./in-turns";
import { indexed } from "./indexed";
import { orderMessage } from "./order-signature";
import { needsFacilitator, quoteToJson, type Rail, railIn, railOf, rails } from "./quote";
import { receiptsOf } from "./receipts";
import { senderOf, type Wallet } from "./wallet";

/** A service that a merchant sells. */
export type OfferedService = {
  /** The id of the registered service. */
  serviceNumericId: bigint;
  /** What it is, for people. */
  description: string;
};

/** A request for a quote. */
export type QuoteRequest = { serviceNumericId: bigint; agent: Address; rail: Rail; requestHash: Hex };

/** A paid order. */
export type Order = {
  receiptId: bigint;
  quoteHash: Hex;
  serviceNumericId: bigint;
  agent: Address;
  /** The decrypted payload of the buyer. */
  payload: unknown;
};

/** What a merchant did. */
export type MerchantActivity =
  | { type: "quoted"; quoteHash: Hex; agent: Address; amount: bigint; rail: Rail }
  | { type: "paid"; quoteHash: Hex; receiptId: bigint; rail: Rail }
  | { type: "fulfilled"; quoteHash: Hex; receiptId: bigint; evidenceHash: Hex };

/** The options of {@link merchant}. */
export type MerchantOptions = {
  /** The client of the service that stores the documents. */
  intentry: IntentryClient;
  /** The owner of the merchant. */
  wallet: Wallet;
  /** The registered merchant. */
  merchantId: bigint;
  /** What it sells. */
  services: readonly OfferedService[];
  /** The token of all prices. */
  token: Address;
  /** The price of a request in the token's smallest unit. Null: the request is rejected. */
  price: (request: QuoteRequest) => bigint | null | Promise<bigint | null>;
  /**
   * Delivers a paid order. Returns public facts for the evidence. It is called again if the merchant stopped before the
   * evidence was recorded, so an order with a known `receiptId` must not be delivered twice.
   */
  deliver: (order: Order) => Promise<Record<string, unknown>>;
  /** The key pair for encrypted payloads, and its name. */
  key: PayloadKeyPair & { id: string };
  /** Where buyers send messages for {@link RunningMerchant.handle}. */
  url: string;
  /** The registered facilitator that settles signed payments. Without one, these rails are not offered. */
  facilitator?: Wallet;
  /** How long a quote is valid. Default: 10 minutes. */
  quoteSeconds?: number;
  /** Called after each quote, payment and fulfillment. */
  report?: (activity: MerchantActivity) => void;
};

/** A merchant that answers buyers. */
export type RunningMerchant = {
  /** The hash of the published catalog, which every quote names as its terms. */
  catalogHash: Hex;
  /**
   * Answers a message of a buyer, over any transport. Throws an IntentryError with the code `invalid_quote` or
   * `invalid_envelope` for a message that it rejects. After any other error the buyer should send the message again.
   */
  handle: (message: unknown) => Promise<Record<string, string>>;
};

const QUOTE_SECONDS = 600;

/**
 * Publishes the catalog of a merchant, and answers buyers: it commits quotes on chain, verifies payments, records receipts,
 * decrypts orders, delivers them, and records the evidence.
 *
 * @example
 * const { handle } = await merchant({ intentry, wallet, merchantId, services, token, price, deliver, key, url });
 * createServer(async (request, response) => response.end(JSON.stringify(await handle(await json(request)))));
 */
export async function merchant(options: MerchantOptions): Promise<RunningMerchant> {
  const { intentry, wallet, merchantId, services, token, price, deliver, key, url, facilitator, report } = options;
  const { contracts } = await intentry.protocol();
  const registry = { abi: commerceRegistryAbi, address: contracts.CommerceRegistry } as const;
  const send = senderOf(wallet);
  const quoteSeconds = BigInt(options.quoteSeconds ?? QUOTE_SECONDS);
  // Receipts of an earlier process must be in the index: a payment that already has one is rejected.
  await indexed(intentry, await wallet.getBlockNumber());
  const { payoutAddress } = await wallet.readContract({ ...registry, functionName: "getMerchant", args: [merchantId] });
  const receipts = receiptsOf({
    ...{ intentry, wallet, facilitator, merchantId, token, payoutAddress, quoteSeconds },
    registry: registry.address,
  });
  const offered: readonly Rail[] = rails.filter((rail) => facilitator || !needsFacilitator(rail));

  const catalog = JSON.stringify({
    merchant_id: String(merchantId),
    url,
    token: token.toLowerCase(),
    payment_rails: offered,
    encryption: { key_id: key.id, public_key: key.publicKey },
    services: services.map(({ serviceNumericId, description }) => ({
      service_numeric_id: String(serviceNumericId),
      description,
    })),
  });
  const { catalog_hash: catalogHash } = await intentry.publishCatalog(catalog, { merchant_id: merchantId });

  /** The payment requirement that a quote of the rail x402 commits to, in its canonical form. */
  const requirementOf = async (amount: bigint, expiresAt: bigint): Promise<string> => {
    const payment_requirement_json = {
      ...{ scheme: "exact", network: `eip155:${wallet.chain.id}`, pay_to: payoutAddress, asset: token, resource: url },
      ...{ amount: String(amount), expires_at: String(expiresAt), facilitator_address: facilitator?.account.address },
    };
    return (await intentry.payments.normalize.query({ payment_requirement_json })).canonical_json;
  };

  /** Prices the request of a buyer, commits the quote on chain, and publishes the response. */
  async function quote(requestHash: Hex): Promise<Record<string, string>> {
    const request = fieldsIn(
      await published("The quote request", intentry.documents.getQuoteRequest.query({ hash: requestHash })),
      "The quote request",
    );
    const rail = railIn(request);
    const [serviceNumericId, agent] = [request.uint("service_numeric_id"), request.hex("agent", 20)];
    if (request.uint("merchant_id") !== merchantId) throw unusable("The quote request is for another merchant");
    if (!services.some((one) => one.serviceNumericId === serviceNumericId))
      throw unusable(`Service ${serviceNumericId} is not in the catalog`);
    if (!offered.includes(rail)) throw unusable(`payment_rail must be one of ${offered.join(", ")}`);
    const amount = await price({ serviceNumericId, agent, rail, requestHash });
    if (amount === null) throw unusable("The merchant makes no offer for this request");
    const { timestamp } = await wallet.getBlock();
    const expiresAt = timestamp + quoteSeconds;
    const requirement = rail === "x402" ? await requirementOf(amount, expiresAt) : undefined;
    const commitment: QuoteCommitment = {
      ...{ merchantId, serviceNumericId, agent, token, amount, expiresAt },
      facilitator: needsFacilitator(rail) ? (facilitator?.account.address ?? zeroAddress) : zeroAddress,
      paymentRail: rails.indexOf(rail),
      // The request is unique to this quote, and so is the nonce.
      paymentNonce: BigInt(requestHash),
      resourceHash: requestHash,
      termsHash: catalogHash,
      x402PayloadHash: requirement === undefined ? zeroHash : documentHash(requirement),
    };
    const quoteHash = await intentry.quoteHash(commitment);
    // A quote that is committed again could be settled again.
    if (!(await committedQuote(wallet, registry.address, quoteHash)))
      await send(() => wallet.writeContract({ ...registry, functionName: "commitQuote", args: [commitment] }));
    const text = JSON.stringify({
      request_hash: requestHash,
      quote_hash: quoteHash,
      quote: quoteToJson(commitment),
      payment_requirement: requirement,
    });
    const { response_hash } = await intentry.publishQuoteResponse(text, { request_hash: requestHash });
    report?.({ type: "quoted", quoteHash, agent, amount, rail });
    return { response_hash };
  }

  /** Decrypts the order for a quote. */
  async function open(payloadHash: Hex, quoteHash: Hex): Promise<unknown> {
    const reading = intentry.documents.getFulfillmentPayload.query({ hash: payloadHash });
    const envelope = await published("The payload", reading);
    if (parseEnvelope(envelope).quote_hash !== quoteHash) throw unusable("The payload is for another quote");
    return decryptPayload(envelope, key.privateKey);
  }

  /** Delivers a paid order, and records the evidence. */
  async function fulfill(order: Order, payloadHash: Hex): Promise<void> {
    const { receiptId, quoteHash } = order;
    const details = await deliver(order);
    const evidence = fulfillmentEvidence({ type: "delivery", receiptId, quoteHash, payloadHash, details });
    await intentry.publishFulfillmentEvidence(evidence.text);
    const args = [receiptId, evidence.hash] as const;
    await send(() => wallet.writeContract({ ...registry, functionName: "recordFulfillment", args }));
    report?.({ type: "fulfilled", quoteHash, receiptId, evidenceHash: evidence.hash });
  }

  /** Receives the payment of a quote and delivers the order. The same message again continues where the last one failed. */
  async function pay(quoteHash: Hex, message: Fields): Promise<Record<string, string>> {
    const payloadHash = message.hash("payload_hash");
    const committed = await committedQuote(wallet, registry.address, quoteHash);
    if (committed?.merchantId !== merchantId) throw unusable("The quote is not one of this merchant");
    const { serviceNumericId, agent, settled } = committed;
    const order = orderMessage(registry.address, wallet.chain.id, { quoteHash, payloadHash });
    if (!(await wallet.verifyTypedData({ ...order, address: agent, signature: message.hex("signature") })))
      throw unusable("The order is not signed by the agent of the quote");
    // Before the payment: an order that can't be read must not be paid.
    const payload = await open(payloadHash, quoteHash);
    const receiptId = settled
      ? await receipts.find(quoteHash, agent)
      : await receipts.receive(quoteHash, committed, message);
    if (!settled) report?.({ type: "paid", quoteHash, receiptId, rail: railOf(committed.paymentRail) });
    const recorded = await wallet.readContract({ ...registry, functionName: "getReceipt", args: [receiptId] });
    if (recorded.fulfillmentHash === zeroHash)
      await fulfill({ receiptId, quoteHash, serviceNumericId, agent, payload }, payloadHash);
    return { receipt_id: String(receiptId) };
  }

  const inTurn = inTurns<Hex>();

  return {
    catalogHash,
    async handle(message) {
      const fields = fieldsOf(message, "The message");
      const type = fields.text("type");
      // In turns: messages that arrive together must not commit a quote twice, or settle it twice.
      if (type === "quote") {
        const requestHash = fields.hash("request_hash");
        return inTurn(requestHash, () => quote(requestHash));
      }
      if (type === "payment") {
        const quoteHash = fields.hash("quote_hash");
        return inTurn(quoteHash, () => pay(quoteHash, fields));
      }
      throw unusable("type must be quote or payment");
    },
  };
}

/** The text of a document that a buyer must have published. */
const published = (what: string, text: Promise<string>): Promise<string> =>
  text.catch((error: unknown) => {
    throw hasCode(error, "not_found") ? unusable(`${what} is not published`, error) : error;
  });
