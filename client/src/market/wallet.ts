import type { Account, Chain, Hex, PublicActions, TransactionReceipt, Transport, WalletClient } from "viem";
import { BaseError, withRetry } from "viem";
import { IntentryError } from "../error";

/** A viem wallet client with an account and a chain, extended with `publicActions`. */
export type Wallet = WalletClient<Transport, Chain, Account> & PublicActions<Transport, Chain, Account>;

/** How often a receipt is requested, and for how long: one minute. */
const POLL_MS = 100;
const POLLS = 600;

/** Sends a transaction and waits until it is mined. */
export type Send = (transaction: () => Promise<Hex>) => Promise<TransactionReceipt>;

/**
 * Sends the transactions of a wallet one at a time, so that their nonces follow each other. A transaction that the node
 * rejects or that reverts is an IntentryError with the code `transaction_failed`.
 */
export function senderOf(wallet: Wallet): Send {
  let last: Promise<unknown> = Promise.resolve();
  const mined = async (transaction: () => Promise<Hex>) => {
    const hash = await transaction().catch((cause: unknown) => {
      const message = cause instanceof BaseError ? cause.shortMessage : String(cause);
      throw new IntentryError(`The transaction was not sent: ${message}`, { code: "transaction_failed", cause });
    });
    // viem's own wait looks only when there is a new block.
    const receipt = await withRetry(() => wallet.getTransactionReceipt({ hash }), {
      delay: POLL_MS,
      retryCount: POLLS,
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
