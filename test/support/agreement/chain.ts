import { BaseError, ContractFunctionRevertedError, type Hex } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../../config/contracts";
import type { Protocol } from "../../../stack/local/protocol";
import type { Row, TableName } from "../index-of";

/** The expected rows, by table. */
export type Rows<Name extends TableName> = { [Table in Name]: Row<Table>[] };

/** The source of the expected rows: getters and logs of the contracts, and block timestamps. */
export type Chain = Omit<Protocol, "write"> & {
  /** The timestamp of a block with protocol logs, in unix seconds as decimal digits. */
  timeOf: (blockNumber: bigint) => string;
  /** The arguments for reading the events of a contract. */
  events: <Name extends ContractName>(
    name: Name,
  ) => { abi: (typeof protocolAbis)[Name]; address: Hex; fromBlock: bigint; strict: true };
};

export async function readChain(protocol: Omit<Protocol, "write">, fromBlock = 0n): Promise<Chain> {
  const { client, contracts } = protocol;
  const logs = await client.getLogs({ address: contractNames.map((name) => contracts[name]), fromBlock });
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const blocks = await inChunks(numbers, (blockNumber) => client.getBlock({ blockNumber }));
  const times = new Map(blocks.map(({ number, timestamp }) => [number, String(timestamp)]));
  return {
    ...protocol,
    timeOf: (blockNumber) => known(times, blockNumber),
    events: (name) => ({ abi: protocolAbis[name], address: contracts[name], fromBlock, strict: true }),
  };
}

const CHUNK = 50;

/** Reads many values with limited concurrency, in order. */
export async function inChunks<Item, Value>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let start = 0; start < items.length; start += CHUNK)
    values.push(...(await Promise.all(items.slice(start, start + CHUNK).map(ask))));
  return values;
}

/** The results of a getter for the ids 1, 2, 3, … up to the first that does not exist. */
export async function allOf<Value>(
  get: (id: bigint) => Promise<Value | null>,
): Promise<{ id: bigint; value: Value }[]> {
  const all: { id: bigint; value: Value }[] = [];
  for (let size = 4; ; size = Math.min(2 * size, CHUNK)) {
    const ids = Array.from({ length: size }, (_, index) => BigInt(all.length + index + 1));
    const answers = await Promise.all(ids.map(async (id) => ({ id, value: await get(id) })));
    for (const { id, value } of answers) {
      if (value === null) return all;
      all.push({ id, value });
    }
  }
}

/** The result of a getter. Null if it reverts with its not-found error. */
export async function unless<Value>(errorName: string, answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk((one) => one instanceof ContractFunctionRevertedError) : null;
    if (cause instanceof ContractFunctionRevertedError && cause.data?.errorName === errorName) return null;
    throw error;
  }
}

/** The value of a key. Throws if it is missing. */
export function known<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`The chain has no log about ${String(key)}`);
  return value;
}

/** The block of the log that created a row. */
export const blockOf = ({ blockNumber }: { blockNumber: bigint }) => ({ blockNumber: String(blockNumber) });

/** The block and transaction of the log that created a row. */
export const originOf = (log: { blockNumber: bigint; transactionHash: Hex }) => ({
  ...blockOf(log),
  txHash: log.transactionHash,
});

/** Logs by id. The last log of each id, in chain order. */
export const byId = <Log, Id>(logs: readonly Log[], idOf: (log: Log) => Id): Map<Id, Log> =>
  new Map(logs.map((log) => [idOf(log), log]));

/** Hex as the index stores it: in lower case. */
export const lower = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`;

/** Text as the index stores it: without NUL, which PostgreSQL rejects. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\uFFFD");
