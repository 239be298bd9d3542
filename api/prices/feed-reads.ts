import { type Address, ContractFunctionExecutionError, type PublicClient } from "viem";
import { priceFeedAbi, type Round } from "../portfolio/providers/rpc/price-feeds";
import { type FeedHistory, feedHistory } from "./feed-history";

/** How feeds are read: all at one block, so that the rounds of one pass belong together. */
export type FeedSource = {
  client: Pick<PublicClient, "multicall">;
  /** The address of Multicall3. Without it, viem sends its bytecode with the call. */
  multicall3: Address | null;
  blockNumber: bigint;
  /** Ends the reads. */
  signal: AbortSignal;
};

/** A feed at a block. */
export type Feed = { decimals: number; history: FeedHistory };

/** Bytes of call data per request: two hundred rounds, whose execution needs about a tenth of what nodes permit. */
const BATCH_BYTES = 200 * 36;

type Result<Value> = { status: "success"; result: Value } | { status: "failure"; error: Error };

/**
 * The result of one call of a multicall. Undefined if the feed reverts, because it has no such round, or is not a contract. Throws
 * if the node did not execute the call: viem reports that as a failure of the call too, but of Multicall3's function.
 */
function resultOf<Value>(result: Result<Value> | undefined, functionName: string): Value | undefined {
  if (result?.status === "success") return result.result;
  const error = result?.error ?? new Error("The node returned too few results");
  if (error instanceof ContractFunctionExecutionError && error.functionName === functionName) return undefined;
  throw error;
}

const optionsOf = ({ multicall3, blockNumber }: FeedSource) => ({
  blockNumber,
  batchSize: BATCH_BYTES,
  ...(multicall3 ? { multicallAddress: multicall3 } : { deployless: true }),
});

type Waiting = {
  address: Address;
  id: bigint;
  resolve: (round: Round | undefined) => void;
  reject: (error: unknown) => void;
};

/** Reads rounds, each once. Those that are asked for in one turn of the event loop are one multicall. */
function roundReader(source: FeedSource): (address: Address, id: bigint) => Promise<Round | undefined> {
  const known = new Map<string, Promise<Round | undefined>>();
  let waiting: Waiting[] = [];

  async function send(): Promise<void> {
    const sent = waiting;
    waiting = [];
    try {
      source.signal.throwIfAborted();
      const results = await source.client.multicall({
        ...optionsOf(source),
        contracts: sent.map(
          ({ address, id }) => ({ abi: priceFeedAbi, address, functionName: "getRoundData", args: [id] }) as const,
        ),
      });
      for (const [index, { resolve, reject }] of sent.entries()) {
        try {
          resolve(resultOf(results[index], "getRoundData"));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of sent) reject(error);
    }
  }

  return (address, id) => {
    const key = `${address} ${id}`;
    const reading =
      known.get(key) ??
      new Promise<Round | undefined>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(send);
        waiting.push({ address, id, resolve, reject });
      });
    known.set(key, reading);
    return reading;
  };
}

/** Reads the newest rounds and the decimals of feeds. A feed without rounds is left out. Throws if a read fails. */
export async function readFeeds(
  source: FeedSource,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Feed>> {
  const { client } = source;
  const [newest, decimals] = await Promise.all([
    client.multicall({
      ...optionsOf(source),
      contracts: addresses.map((address) => ({ abi: priceFeedAbi, address, functionName: "latestRoundData" }) as const),
    }),
    client.multicall({
      ...optionsOf(source),
      contracts: addresses.map((address) => ({ abi: priceFeedAbi, address, functionName: "decimals" }) as const),
    }),
  ]);
  const read = roundReader(source);
  const feeds = new Map<Address, Feed>();
  for (const [index, address] of addresses.entries()) {
    const round = resultOf(newest[index], "latestRoundData");
    const places = resultOf(decimals[index], "decimals");
    if (round === undefined || places === undefined) continue;
    feeds.set(address, { decimals: places, history: feedHistory(round[0], (id) => read(address, id)) });
  }
  return feeds;
}
