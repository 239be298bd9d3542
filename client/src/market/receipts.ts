import { type Address, type Hex, isAddressEqual, parseEventLogs } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { QuoteCommitment } from "../../../common/quote-hash";
import type { IntentryClient } from "../index";
import { iterate } from "../iterate";
import { type Authorization, authorizationAbi, authorizationArguments, authorizationIn } from "./authorization";
import { requireTimeToSettle } from "./expiry";
import { type Fields, unusable } from "./fields";
import { paidBy } from "./paid-by";
import { needsFacilitator, railOf } from "./quote";
import { blockOfQuote, firstSearchedBlock } from "./searched-blocks";
import { until } from "./until";
import { senderOf, type Wallet } from "./wallet";

type Options = {
  intentry: IntentryClient;
  /** The address of the CommerceRegistry. */
  registry: Address;
  wallet: Wallet;
  facilitator: Wallet | undefined;
  merchantId: bigint;
  token: Address;
  payoutAddress: Address;
  /** How long a quote is valid. */
  quoteSeconds: bigint;
};

/** The receipts of a merchant. */
export function receiptsOf({
  intentry,
  registry,
  wallet,
  facilitator,
  merchantId,
  token,
  payoutAddress,
  quoteSeconds,
}: Options) {
  const record = async (quoteHash: Hex, resultHash: Hex, by: Wallet): Promise<bigint> => {
    const call = { abi: commerceRegistryAbi, address: registry, functionName: "recordReceipt" } as const;
    const { logs } = await senderOf(by)(() => by.writeContract({ ...call, args: [quoteHash, resultHash] }));
    const [recorded] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "ReceiptRecorded", logs });
    if (!recorded) throw unusable("The receipt was not recorded");
    return recorded.args.receiptId;
  };

  /** The transactions that have a receipt, or are about to get one. Each pays one quote, on any rail. */
  const claimed = new Set<string>();

  /** Records the receipt of a quote, after verifying that a transaction pays it, and no other one. */
  async function claim(quoteHash: Hex, commitment: QuoteCommitment, transaction: Hex, by: Wallet) {
    if (claimed.has(transaction)) throw unusable("The transaction already pays another quote");
    claimed.add(transaction);
    try {
      for await (const receipt of iterate(intentry.receipts.list, { agent: commitment.agent, merchant_id: merchantId }))
        if (receipt.result_hash === transaction) throw unusable("The transaction already paid another quote");
      const { amount, block } = await paidBy(wallet, transaction, { ...commitment, payoutAddress });
      if (amount < commitment.amount) throw unusable("The transaction does not pay this quote");
      const quoted = await blockOfQuote(wallet, registry, quoteHash);
      const isOlder = quoted ? block.number < quoted : block.timestamp < commitment.expiresAt - quoteSeconds;
      if (isOlder) throw unusable("The transaction is older than the quote");
      return await record(quoteHash, transaction, by);
    } catch (error) {
      claimed.delete(transaction);
      throw error;
    }
  }

  /** The transfer of an authorization that was already sent: by an attempt that was interrupted, or by someone else. */
  async function sentTransfer(by: Wallet, { from, nonce }: Authorization): Promise<Hex | undefined> {
    const contract = { abi: authorizationAbi, address: token } as const;
    if (!(await by.readContract({ ...contract, functionName: "authorizationState", args: [from, nonce] })))
      return undefined;
    const [used] = await by.getContractEvents({
      ...contract,
      eventName: "AuthorizationUsed",
      args: { authorizer: from, nonce },
      fromBlock: await firstSearchedBlock(by),
    });
    if (!used) throw unusable("The authorization was canceled, or used long ago");
    return used.transactionHash;
  }

  /** Settles a signed payment, and records its receipt. */
  async function receiveSigned(quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> {
    if (!facilitator) throw unusable("This merchant has no facilitator");
    const authorization = authorizationIn(message.object("authorization"));
    const { from, to, value, nonce } = authorization;
    const isForQuote = isAddressEqual(from, commitment.agent) && isAddressEqual(to, payoutAddress);
    if (!isForQuote || value !== commitment.amount || nonce !== quoteHash)
      throw unusable("The authorization does not pay this quote");
    const transfer = { abi: authorizationAbi, address: token, functionName: "transferWithAuthorization" } as const;
    const args = authorizationArguments(authorization);
    const pay = async () => {
      await requireTimeToSettle(facilitator, commitment);
      return (await senderOf(facilitator)(() => facilitator.writeContract({ ...transfer, args }))).transactionHash;
    };
    const paid = (await sentTransfer(facilitator, authorization)) ?? (await pay());
    return claim(quoteHash, commitment, paid, facilitator);
  }

  /** Verifies the transfer of a buyer, and records its receipt. */
  const receiveTransfer = (quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> =>
    claim(quoteHash, commitment, message.hash("transaction"), wallet);

  return {
    /** Verifies the payment of a quote and records the receipt. Returns its id. */
    receive: (quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> =>
      needsFacilitator(railOf(commitment.paymentRail))
        ? receiveSigned(quoteHash, commitment, message)
        : receiveTransfer(quoteHash, commitment, message),

    /** The id of the receipt of a settled quote. */
    find: (quoteHash: Hex, agent: Address): Promise<bigint> =>
      until(`The receipt for quote ${quoteHash} was not indexed`, async () => {
        for await (const receipt of iterate(intentry.receipts.list, { agent, merchant_id: merchantId }))
          if (receipt.quote_hash === quoteHash) return BigInt(receipt.receipt_id);
        return undefined;
      }),
  };
}
