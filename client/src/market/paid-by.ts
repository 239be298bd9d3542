import { type Address, erc20Abi, type Hex, isAddressEqual, parseEventLogs } from "viem";
import type { Wallet } from "./wallet";

type Terms = { agent: Address; token: Address; payoutAddress: Address };

/** The amount of a token that a mined transaction transferred from an agent to a merchant, and its block. */
export async function paidBy(wallet: Wallet, hash: Hex, { agent, token, payoutAddress }: Terms) {
  const { status, logs, blockHash, blockNumber } = await wallet.getTransactionReceipt({ hash });
  const { timestamp } = await wallet.getBlock({ blockHash });
  const transfers = status === "success" ? parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }) : [];
  const amount = transfers
    .filter(({ address, args }) => isAddressEqual(address, token) && isAddressEqual(args.from, agent))
    .filter(({ args }) => isAddressEqual(args.to, payoutAddress))
    .reduce((sum, { args }) => sum + args.value, 0n);
  return { amount, block: { number: blockNumber, timestamp } };
}
