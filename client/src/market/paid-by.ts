import { type Address, erc20Abi, type Hex, isAddressEqual, parseEventLogs } from "viem";
import type { Wallet } from "./wallet";

type Terms = { agent: Address; token: Address; payoutAddress: Address };

/** The amount of a token that a mined transaction transferred from an agent to a merchant. */
export async function paidBy(wallet: Wallet, hash: Hex, { agent, token, payoutAddress }: Terms): Promise<bigint> {
  const { status, logs } = await wallet.getTransactionReceipt({ hash });
  if (status !== "success") return 0n;
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs })
    .filter(({ address, args }) => isAddressEqual(address, token) && isAddressEqual(args.from, agent))
    .filter(({ args }) => isAddressEqual(args.to, payoutAddress))
    .reduce((sum, { args }) => sum + args.value, 0n);
}
