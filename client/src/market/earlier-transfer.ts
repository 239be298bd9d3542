import { type Address, erc20Abi, type Hex } from "viem";
import type { IntentryClient } from "../index";
import { iterate } from "../iterate";
import { authorizationAbi } from "./authorization";
import { unusable } from "./fields";
import { indexed } from "./indexed";
import type { VerifiedQuote } from "./quote";
import { blockOfQuote } from "./searched-blocks";
import { until } from "./until";
import type { Wallet } from "./wallet";

type Options = {
  intentry: IntentryClient;
  wallet: Wallet;
  /** The address of the CommerceRegistry. */
  registry: Address;
};

/**
 * The transfer that the wallet already made for a quote, in this or in another process: one of the quote's amount to the
 * merchant, since the quote was committed, that has no receipt and is not one of `others`.
 */
export async function earlierTransfer(
  { intentry, wallet, registry }: Options,
  { quote: { amount, token, merchantId }, quoteHash, payTo }: VerifiedQuote,
  others: ReadonlySet<Hex>,
): Promise<Hex | undefined> {
  const agent = wallet.account.address;
  await until(`The pending transactions of ${agent} were not mined`, async () => {
    const [mined, sent] = await Promise.all([
      wallet.getTransactionCount({ address: agent }),
      wallet.getTransactionCount({ address: agent, blockTag: "pending" }),
    ]);
    return mined >= sent ? true : undefined;
  });
  const fromBlock = await blockOfQuote(wallet, registry, quoteHash);
  if (fromBlock === undefined) throw unusable("The quote is too old to find out whether it was paid");
  const transfers = await wallet.getContractEvents({
    ...{ abi: erc20Abi, address: token, eventName: "Transfer" },
    args: { from: agent, to: payTo },
    fromBlock,
  });
  const candidates = transfers
    .filter(({ args, transactionHash }) => args.value === amount && !others.has(transactionHash))
    .map(({ transactionHash }) => transactionHash);
  if (candidates.length === 0) return undefined;

  // An authorization pays the quote that its nonce names.
  const authorized = await wallet.getContractEvents({
    ...{ abi: authorizationAbi, address: token, eventName: "AuthorizationUsed" },
    args: { authorizer: agent },
    fromBlock,
  });
  const used = new Set<string>(authorized.map(({ transactionHash }) => transactionHash));
  await indexed(intentry, await wallet.getBlockNumber());
  for await (const { result_hash } of iterate(intentry.receipts.list, { agent, merchant_id: merchantId }))
    used.add(result_hash);
  return candidates.find((hash) => !used.has(hash));
}
