import { type Address, type Hex, isAddressEqual, parseEventLogs } from "viem";
import { commerceRegistryAbi } from "../../../abis/index";
import type { IntentryClient } from "../index";
import { iterate } from "../iterate";
import type { QuoteCommitment } from "../quote-hash";
import { type Authorization, authorizationAbi, authorizationArguments, authorizationIn } from "./authorization";
import { type Fields, unusable } from "./fields";
import { paidBy } from "./paid-by";
import { needsFacilitator, railOf } from "./quote";
import { until } from "./until";
import { type Send, senderOf, type Wallet } from "./wallet";

/** Where the transfer of an interrupted settlement is looked for: in the newest blocks. */
const SEARCHED_BLOCKS = 2_000n;

type Options = {
  intentry: IntentryClient;
  /** The address of the CommerceRegistry. */
  registry: Address;
  wallet: Wallet;
  send: Send;
  facilitator: Wallet | undefined;
  merchantId: bigint;
  token: Address;
  payoutAddress: Address;
};

/** The receipts of a merchant. */
export function receiptsOf({
  intentry,
  registry,
  wallet,
  send,
  facilitator,
  merchantId,
  token,
  payoutAddress,
}: Options) {
  const settle = facilitator && senderOf(facilitator);

  const record = async (quoteHash: Hex, resultHash: Hex, by: Wallet, sendBy: Send): Promise<bigint> => {
    const call = { abi: commerceRegistryAbi, address: registry, functionName: "recordReceipt" } as const;
    const { logs } = await sendBy(() => by.writeContract({ ...call, args: [quoteHash, resultHash] }));
    const [recorded] = parseEventLogs({ abi: commerceRegistryAbi, eventName: "ReceiptRecorded", logs });
    if (!recorded) throw unusable("The receipt was not recorded");
    return recorded.args.receiptId;
  };

  const requirePaid = async (transaction: Hex, commitment: QuoteCommitment) => {
    if ((await paidBy(wallet, transaction, { ...commitment, payoutAddress })) < commitment.amount)
      throw unusable("The transaction does not pay this quote");
  };

  /** The transfer of an authorization that was already sent: by an attempt that was interrupted, or by someone else. */
  async function sentTransfer(by: Wallet, { from, nonce }: Authorization): Promise<Hex | undefined> {
    const contract = { abi: authorizationAbi, address: token } as const;
    if (!(await by.readContract({ ...contract, functionName: "authorizationState", args: [from, nonce] })))
      return undefined;
    const newest = await by.getBlockNumber();
    const [used] = await by.getContractEvents({
      ...contract,
      eventName: "AuthorizationUsed",
      args: { authorizer: from, nonce },
      fromBlock: newest > SEARCHED_BLOCKS ? newest - SEARCHED_BLOCKS : 0n,
    });
    if (!used) throw unusable("The authorization was canceled, or used long ago");
    return used.transactionHash;
  }

  /** Settles a signed payment, and records its receipt. */
  async function receiveSigned(quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> {
    if (!facilitator || !settle) throw unusable("This merchant has no facilitator");
    const authorization = authorizationIn(message.object("authorization"));
    const { from, to, value, nonce } = authorization;
    const isForQuote = isAddressEqual(from, commitment.agent) && isAddressEqual(to, payoutAddress);
    if (!isForQuote || value !== commitment.amount || nonce.toLowerCase() !== quoteHash)
      throw unusable("The authorization does not pay this quote");
    const sent = await sentTransfer(facilitator, authorization);
    if (sent) await requirePaid(sent, commitment);
    const transfer = { abi: authorizationAbi, address: token, functionName: "transferWithAuthorization" } as const;
    const args = authorizationArguments(authorization);
    const paid = sent ?? (await settle(() => facilitator.writeContract({ ...transfer, args }))).transactionHash;
    return record(quoteHash, paid, facilitator, settle);
  }

  /** The transactions that have a receipt, or are about to get one. Each pays one quote. */
  const claimed = new Set<string>();

  /** Verifies the transfer of a buyer, and records its receipt. */
  async function receiveTransfer(quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> {
    const transaction = message.hex("transaction", 32).toLowerCase() as Hex;
    if (claimed.has(transaction)) throw unusable("The transaction already pays another quote");
    claimed.add(transaction);
    try {
      for await (const receipt of iterate(intentry.receipts.list, { agent: commitment.agent, merchant_id: merchantId }))
        if (receipt.result_hash === transaction) throw unusable("The transaction already paid another quote");
      await requirePaid(transaction, commitment);
      return await record(quoteHash, transaction, wallet, send);
    } catch (error) {
      claimed.delete(transaction);
      throw error;
    }
  }

  return {
    /** Verifies the payment of a quote and records the receipt. Returns its id. */
    receive: (quoteHash: Hex, commitment: QuoteCommitment, message: Fields): Promise<bigint> =>
      needsFacilitator(railOf(commitment.paymentRail))
        ? receiveSigned(quoteHash, commitment, message)
        : receiveTransfer(quoteHash, commitment, message),

    /** The id of the receipt of a settled quote. */
    find: (quoteHash: Hex, agent: Address): Promise<bigint> =>
      until(`The index of the receipt for quote ${quoteHash}`, async () => {
        for await (const receipt of iterate(intentry.receipts.list, { agent, merchant_id: merchantId }))
          if (receipt.quote_hash === quoteHash) return BigInt(receipt.receipt_id);
        return undefined;
      }),
  };
}
