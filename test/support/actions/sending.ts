import { type Address, concat, type Hex } from "viem";
import type { ChainConnection } from "../../../stack/local/chain";
import { type Call, call } from "./calls";
import { anyBytes } from "./values";
import type { Wallet, World } from "./world";

/** A transaction, and its actions for error messages. */
export type Transaction = { wallet: Wallet; to: Address; data: Hex; value: bigint; actions: string[] };

/** Chains limit the gas of a transaction to about this. Several fit into a block. */
const GAS = 16_000_000n;
const GWEI = 10n ** 9n;

/** One call of the multicall contract that makes all these calls, with the contract as msg.sender. */
export const aggregate = (world: World, relayer: Address, calls: readonly Call[]): Call => {
  const total = calls.reduce((sum, { value }) => sum + value, 0n);
  const batch = calls.map(({ to, data, value }) => ({ target: to, data, value }));
  return call(world, relayer, "Multicall", "aggregate", [batch], total);
};

/** The transaction of a call. A call by a contract is sent by a wallet through that contract. */
export function transactionFor(world: World, action: Call, actions: string[]): Transaction {
  const { Multicall, PolicyAccount } = world.contracts;
  const { from, to, data, value } = action;
  const [signer] = world.wallets;
  if (from === PolicyAccount)
    return transactionFor(world, call(world, signer.address, "PolicyAccount", "execute", [to, value, data]), actions);
  if (from === Multicall)
    return transactionFor(world, aggregate(world, world.random.pick(world.wallets).address, [action]), actions);
  const wallet = world.wallets.find(({ address }) => address === from);
  if (!wallet) throw new Error(`${actions}: ${from} has no key`);
  // Contracts ignore bytes after the arguments.
  const hasTail = data !== "0x" && world.random.chance(0.05);
  return { wallet, to, data: hasTail ? concat([data, anyBytes(world.random, 5)]) : data, value, actions };
}

/**
 * Mines one block with these transactions in this order, at the world's time. Throws if one reverts. The block also has the
 * pending transactions of others.
 */
export async function mineBlock(
  world: World,
  client: ChainConnection,
  transactions: readonly Transaction[],
): Promise<void> {
  const hashes: Hex[] = [];
  for (const { wallet, to, data, value } of transactions) {
    const nonce = world.nonces.get(wallet.address) ?? 0;
    world.nonces.set(wallet.address, nonce + 1);
    const serializedTransaction = await wallet.signTransaction({
      type: "eip1559",
      chainId: world.chainId,
      nonce,
      to,
      data,
      value,
      gas: GAS,
      maxFeePerGas: 100n * GWEI,
      // anvil orders by tip, highest first.
      maxPriorityFeePerGas: GWEI - BigInt(hashes.length),
    });
    hashes.push(await client.sendRawTransaction({ serializedTransaction }));
  }
  await client.setNextBlockTimestamp({ timestamp: world.now });
  await client.mine({ blocks: 1 });
  const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })));
  for (const [index, { status, blockNumber, transactionIndex }] of receipts.entries()) {
    const actions = transactions[index]?.actions.join(", ");
    if (status !== "success") throw new Error(`Reverted in block ${blockNumber}: ${actions}`);
    const before = receipts[index - 1]?.transactionIndex ?? -1;
    if (transactionIndex <= before)
      throw new Error(`The transactions of block ${blockNumber} are not in the order in which they were sent`);
  }
}
