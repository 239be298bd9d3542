import { type Address, erc20Abi, getAbiItem, type PublicClient } from "viem";
import { type Activity, MAX_ACTIVITY } from "../../provider";

const transferEvent = getAbiItem({ abi: erc20Abi, name: "Transfer" });

const lowercase = (address: Address): Address => `0x${address.slice(2).toLowerCase()}`;

/** Reads the newest token transfers from and to an address in the last `blocks` blocks up to `head`. */
export async function recentTransfers(
  client: PublicClient,
  tokens: readonly Address[],
  address: Address,
  head: bigint,
  blocks: bigint,
): Promise<Activity[]> {
  if (tokens.length === 0) return [];
  const filter = {
    address: [...tokens],
    event: transferEvent,
    strict: true as const,
    fromBlock: head < blocks ? 0n : head - blocks + 1n,
    toBlock: head,
  };
  const found = await Promise.all([
    client.getLogs({ ...filter, args: { from: address } }),
    client.getLogs({ ...filter, args: { to: address } }),
  ]);
  const logs = found
    .flat()
    .filter(({ removed }) => !removed)
    .sort((left, right) => Number(right.blockNumber - left.blockNumber) || right.logIndex - left.logIndex);

  const transfers = new Map<string, Omit<Activity, "timestamp">>();
  for (const { transactionHash: hash, blockNumber, args } of logs) {
    const [from, to] = [lowercase(args.from), lowercase(args.to)];
    transfers.set(`${hash} ${from} ${to}`, { hash, from, to, blockNumber });
  }
  const newest = [...transfers.values()].slice(0, MAX_ACTIVITY);
  const times = await blockTimes(client, new Set(newest.map(({ blockNumber }) => blockNumber)));
  return newest.map((transfer) => ({ ...transfer, timestamp: times.get(transfer.blockNumber) ?? null }));
}

async function blockTimes(client: PublicClient, blocks: ReadonlySet<bigint>): Promise<ReadonlyMap<bigint, Date>> {
  const times = await Promise.all(
    [...blocks].map(async (blockNumber) => {
      const { timestamp } = await client.getBlock({ blockNumber });
      return [blockNumber, new Date(Number(timestamp) * 1000)] as const;
    }),
  );
  return new Map(times);
}
