import type { Api, Hex, PreparedAction, TransactionExplanation, TypedData } from "./api";
import { hasCode, IntentryError, reasonOf } from "./error";
import { indexed } from "./market/indexed";
import { type Receipt, senderOf, sentenceOf, type Wallet } from "./market/wallet";
import { refuse, refused } from "./refusal";
import { requireWellFormed } from "./well-formed";

/** How to send an action. */
export type SendOptions = {
  /** Whether to send transactions that revert in the simulation. Default: false. */
  force?: boolean;
};

/** A sent action. */
export type SentAction = {
  /** The receipts of its transactions, in order. */
  receipts: readonly Receipt[];
  /** The protocol events of its transactions, in order, as the index has them. `eventName` narrows `args`. */
  events: TransactionExplanation["events"];
  /** The signature of its typed data, such as an authorization to send to a merchant. */
  signature?: Hex;
};

type Client = Pick<Api, "actions" | "status" | "transactions">;

function requireChain(wallet: Wallet, chainId: unknown): void {
  if (Number(chainId) !== wallet.chain.id)
    throw refused(`The action is for chain ${chainId}, and the wallet is on chain ${wallet.chain.id}`);
}

/** The account that a transaction is prepared for. From another one it would do something else. */
function requireSender(wallet: Wallet, from: string | null): void {
  if (from !== null && from !== wallet.account.address.toLowerCase())
    throw refused(`The action is of ${from}, and the wallet's account is ${wallet.account.address.toLowerCase()}`);
}

/** Throws the reason if an action would revert. */
export function requireSuccess({ simulation }: PreparedAction): void {
  if (!simulation || simulation.ok) return;
  const revert = simulation.results.find(({ ok }) => !ok)?.revert;
  const reason = [revert?.reason, revert?.fix].filter(Boolean).join(" ").replace(/\.$/, "");
  throw refused(`The action would revert: ${reason || "the reason is unknown"}`);
}

async function sign(wallet: Wallet, typedData: TypedData): Promise<Hex> {
  requireChain(wallet, typedData.domain.chainId);
  try {
    return await wallet.signTypedData(typedData as never);
  } catch (cause) {
    const message = `The wallet did not sign: ${sentenceOf(cause)}`;
    throw new IntentryError(message, { code: "transaction_failed", cause });
  }
}

/** The answer to a signed intent: one transaction that submits exactly this intent. */
async function submissionFor({ actions }: Client, action: PreparedAction, signature: Hex): Promise<PreparedAction> {
  if (!action.next?.input) throw refused("The service does not say how to submit the signed intent");
  const submission = await actions.submitIntent({ ...action.next.input, signature } as never);
  const { problemOfSubmission } = await import("./lazy.js");
  refuse(problemOfSubmission(action, signature, submission));
  return submission;
}

/** The protocol events of a transaction. Transactions of other contracts, such as approvals, have none. */
const eventsOf = async ({ transactions }: Client, { transactionHash: hash }: Receipt) => {
  try {
    return (await transactions.explain({ hash })).events;
  } catch (error) {
    if (hasCode(error, "not_found")) return [];
    throw error;
  }
};

const hashesOf = (receipts: readonly Receipt[]): string =>
  receipts.map(({ transactionHash }) => transactionHash).join(", ");

/** The error of a transaction after others. The caller must not send those again. */
function afterOthers(error: unknown, receipts: readonly Receipt[]): unknown {
  if (receipts.length === 0 || !(error instanceof IntentryError)) return error;
  const message = `${error.message}. Before it, ${hashesOf(receipts)} succeeded`;
  return new IntentryError(message, { code: error.code, cause: error });
}

/** Waits until the index has the transactions, and returns their events. */
async function indexedEvents(client: Client, receipts: readonly Receipt[]): Promise<SentAction["events"]> {
  const last = receipts.at(-1);
  if (!last) return [];
  try {
    await indexed(client, last.blockNumber);
    return (await Promise.all(receipts.map((receipt) => eventsOf(client, receipt)))).flat();
  } catch (cause) {
    // The caller must not send them again.
    const message = `${hashesOf(receipts)} succeeded, but the index did not show it: ${reasonOf(cause)}`;
    throw new IntentryError(message, { code: "unavailable", cause });
  }
}

/** Signs and sends a prepared action, and waits until the index shows it. See `Helpers.send`. */
export async function send(
  client: Client,
  wallet: Wallet,
  action: PreparedAction,
  { force = false }: SendOptions,
): Promise<SentAction> {
  const { typed_data } = action;
  let signature: Hex | undefined;
  let ready = action;
  if (typed_data) {
    if (action.transactions.length > 0) throw refused("The action has both a message to sign and transactions");
    const { problemOfMessage } = await import("./lazy.js");
    refuse(problemOfMessage(typed_data, wallet.account.address));
    signature = await sign(wallet, typed_data);
    // An authorization goes to the merchant.
    if (typed_data.primaryType !== "Intent") return { receipts: [], events: [], signature };
    ready = await submissionFor(client, action, signature);
  }
  const { transactions } = ready;
  if (transactions.length === 0) throw refused("The action has no transactions");
  requireWellFormed(transactions);
  for (const { chainId, from } of transactions) {
    requireChain(wallet, chainId);
    requireSender(wallet, from);
  }
  if (!force) requireSuccess(ready);
  const receipts: Receipt[] = [];
  for (const { to, data, value, gas } of transactions) {
    const transaction = { to, data, value: BigInt(value), ...(gas !== null && { gas: BigInt(gas) }) };
    const sending = senderOf(wallet)(() => wallet.sendTransaction(transaction));
    receipts.push(
      await sending.catch((error: unknown) => {
        throw afterOthers(error, receipts);
      }),
    );
  }
  return { receipts, events: await indexedEvents(client, receipts), ...(signature && { signature }) };
}
