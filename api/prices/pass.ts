import type { Address, PublicClient } from "viem";
import type { ListedToken } from "../../config/token-list";
import { withDeadline } from "../core/with-deadline";
import type { StoreDatabase } from "../offchain/open";
import { deletePrices, forgetHours, hoursWithoutPrice, savePrices, type TokenHour } from "../offchain/token-prices";
import { HOUR } from "./price-of-hour";
import { readPrices } from "./read-prices";
import { type Compared, compareBlocks, type SeenBlock } from "./seen-blocks";

/** Hours of each token per pass. Twenty feeds then take about thirty requests, and a year about two hundred passes. */
const HOURS_PER_PASS = 48;

/** How many blocks of earlier passes are remembered. If a reorg removes all of them, every hour is read again. */
const REMEMBERED = 100;

/** How far below the newest block the first one is remembered: deeper than a reorg of a public chain. */
const ANCHOR_DEPTH = 1_000n;

/** The tokens to price, and where. */
export type Priced = {
  chainId: number;
  /** The address of Multicall3 on the chain. */
  multicall3: Address | null;
  /** The tokens of the chain with feeds. */
  tokens: ReadonlyMap<Address, ListedToken>;
};

export type Pass = Priced & {
  transaction: StoreDatabase;
  client: Pick<PublicClient, "getBlock" | "getChainId" | "multicall">;
  /** The first and the newest hour with a price. */
  first: bigint;
  last: bigint;
  /** The blocks of earlier passes of this process, the newest first. */
  seen: readonly SeenBlock[];
  /** Ends the reads. */
  signal: AbortSignal;
};

type Passed = {
  /** Whether nothing is left to read up to the newest hour. */
  isComplete: boolean;
  /** Why prices could not be read. The others are stored. */
  error: unknown;
  seen: readonly SeenBlock[];
};

/** The newest block of the node. All reads of a pass are at this block. */
async function newestBlock({ client, chainId }: Pass) {
  const [id, block] = await Promise.all([client.getChainId(), client.getBlock()]);
  if (id !== chainId) throw new Error(`The node serves chain ${id} instead of ${chainId}`);
  return block;
}

/** Finds what a reorg has changed since the last pass. Only numbers up to the newest block are asked for. */
async function compareSeen({ client, seen }: Pass, newest: SeenBlock): Promise<Compared> {
  if (seen.length > 0)
    return compareBlocks(seen, async (number) =>
      number > newest.number ? undefined : (await client.getBlock({ blockNumber: number })).hash,
    );
  const below = newest.number > ANCHOR_DEPTH ? newest.number - ANCHOR_DEPTH : 0n;
  return { kept: [await client.getBlock({ blockNumber: below })], changedSince: undefined };
}

/** The hours to read: those without prices, and the two newest ones, because a reorg may have changed their rounds. */
async function hoursToRead({ transaction, chainId, tokens, first, last }: Pass): Promise<{
  hours: TokenHour[];
  isLimited: boolean;
}> {
  const addresses = [...tokens.keys()];
  const missing = await hoursWithoutPrice(transaction, chainId, addresses, { first, last }, HOURS_PER_PASS);
  const newest = [last, last - HOUR].filter((hour) => hour >= first);
  const again = addresses.flatMap((address) => newest.map((hour) => ({ address, hour })));
  return {
    hours: [...again, ...missing.filter(({ hour }) => !newest.includes(hour))],
    isLimited: missing.length >= HOURS_PER_PASS,
  };
}

/** Reads prices that are missing or may have changed, and stores them in the transaction. */
export async function readMissingPrices(pass: Pass): Promise<Passed> {
  const { transaction, chainId, tokens, client, multicall3, signal } = pass;
  // Only requests to the node have a deadline: the transaction must not end during one of its statements.
  const fromNode = <Value>(reads: Promise<Value>) => withDeadline(reads, { signal });
  const block = await fromNode(newestBlock(pass));
  const { kept, changedSince } = await fromNode(compareSeen(pass, block));
  if (changedSince !== undefined) await forgetHours(transaction, chainId, changedSince);
  const { hours, isLimited } = await hoursToRead(pass);
  // A node that is behind does not know later hours.
  const known = hours.filter(({ hour }) => hour <= block.timestamp);
  const source = { client, multicall3, blockNumber: block.number, signal };
  const { prices, error } = await fromNode(readPrices(source, tokens, known));
  // In the rest of the newest hour there may still be a first answer.
  const isDecided = ({ price, hour }: { price: string | null; hour: bigint }) =>
    price !== null || hour + HOUR <= block.timestamp;
  await savePrices(transaction, chainId, prices.filter(isDecided));
  await deletePrices(
    transaction,
    chainId,
    prices.filter((price) => !isDecided(price)),
  );
  return {
    isComplete: error === undefined && known.length === hours.length && !isLimited,
    error,
    seen: [block, ...kept.filter(({ hash }) => hash !== block.hash)].slice(0, REMEMBERED),
  };
}
