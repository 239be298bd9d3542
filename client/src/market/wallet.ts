import type { Account, Chain, Hex, PublicActions, TransactionReceipt, Transport, WalletClient } from "viem";
import {
  BaseError,
  HttpRequestError,
  MethodNotFoundRpcError,
  MethodNotSupportedRpcError,
  NonceTooLowError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
  withRetry,
} from "viem";
import { IntentryError, reasonOf } from "../error";

/** The receipt of a transaction. */
export type Receipt = Pick<TransactionReceipt, "status" | "logs" | "blockHash" | "blockNumber" | "transactionHash">;

/** The members whose types depend on the chain: those of the OP stack have transactions of their own. */
type ByChain = {
  getBlock: (options?: { blockHash: Hex }) => Promise<{ timestamp: bigint }>;
  getTransactionReceipt: (options: { hash: Hex }) => Promise<Receipt>;
};

/** A viem wallet client with an account and a chain, extended with `publicActions`. */
export type Wallet = Pick<
  WalletClient<Transport, Chain, Account>,
  "account" | "chain" | "sendTransaction" | "signTypedData" | "writeContract"
> &
  Pick<
    PublicActions<Transport, Chain, Account>,
    | "getBlockNumber"
    | "getContractEvents"
    | "getEip712Domain"
    | "getTransactionCount"
    | "readContract"
    | "verifyTypedData"
  > &
  ByChain;

/** How often a receipt is requested, and for how long: one minute. */
const POLL_MS = 100;
const POLLS = 600;

/** Sends a transaction and waits until it is mined. */
export type Send = (transaction: () => Promise<Hex>) => Promise<Receipt>;

/** The errors after which the node may have the transaction. viem repeats a request that got no answer. */
const unanswered = [HttpRequestError, TimeoutError, WebSocketRequestError, SocketClosedError, NonceTooLowError];

const mayBeSent = (cause: unknown) =>
  cause instanceof BaseError &&
  (/already (known|imported)/i.test(cause.details) ||
    cause.walk((one) => unanswered.some((kind) => one instanceof kind)) !== null);

/** The sentence of an error of a wallet. */
export const sentenceOf = (cause: unknown): string =>
  cause instanceof BaseError ? cause.shortMessage.replace(/\.$/, "") : reasonOf(cause);

/** What a signer that supports only a few methods responds to the others. */
const unsupported = [MethodNotFoundRpcError, MethodNotSupportedRpcError];

const isUnsupported = (error: unknown) => unsupported.some((kind) => error instanceof kind);

/** The senders of wallets, so that all transactions of a wallet are in one line. */
const senders = new WeakMap<Wallet, Send>();

/**
 * Sends the transactions of a wallet one at a time, so that their nonces follow each other. A transaction that the node
 * rejects or that reverts is an IntentryError with the code `transaction_failed`. After any other error, such as one with the
 * code `no_response`, it may have been sent.
 */
export function senderOf(wallet: Wallet): Send {
  const send = senders.get(wallet) ?? createSender(wallet);
  senders.set(wallet, send);
  return send;
}

function createSender(wallet: Wallet): Send {
  let last: Promise<unknown> = Promise.resolve();
  const mined = async (transaction: () => Promise<Hex>) => {
    const hash = await transaction().catch((cause: unknown) => {
      const message = sentenceOf(cause);
      if (mayBeSent(cause))
        throw new IntentryError(`The transaction may have been sent: ${message}`, { code: "no_response", cause });
      throw new IntentryError(`The transaction was not sent: ${message}`, { code: "transaction_failed", cause });
    });
    // viem's own wait looks only when there is a new block.
    const receipt = await withRetry(() => wallet.getTransactionReceipt({ hash }), {
      delay: POLL_MS,
      retryCount: POLLS,
      shouldRetry: ({ error }) => !isUnsupported(error),
    }).catch((cause: unknown) => {
      const message = sentenceOf(cause);
      throw new IntentryError(`Transaction ${hash} was sent, but its receipt is not known: ${message}`, {
        code: "no_response",
        cause,
      });
    });
    if (receipt.status !== "success")
      throw new IntentryError(`Transaction ${hash} reverted`, { code: "transaction_failed" });
    return receipt;
  };
  return (transaction) => {
    const sent = last.then(
      () => mined(transaction),
      () => mined(transaction),
    );
    last = sent;
    return sent;
  };
}
