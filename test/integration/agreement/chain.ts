import { BaseError, ContractFunctionRevertedError, type Hex } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../../config/contracts";
import type { Protocol } from "../../../stack/protocol";
import type { Row, TableName } from "../index-of";

/** The rows that an index should have, by table. */
export type Rows<Name extends TableName> = { [Table in Name]: Row<Table>[] };

/** What rows are made of: the getters and the logs of the contracts, and the times of their blocks. */
export type Chain = Protocol & {
  /** Unix seconds of a block that has logs of the protocol, in decimal digits. */
  timeOf: (blockNumber: bigint) => string;
  /** Where the events of a contract are looked for. */
  events: <Name extends ContractName>(
    name: Name,
  ) => { abi: (typeof protocolAbis)[Name]; address: Hex; fromBlock: 0n; strict: true };
};

export async function readChain(protocol: Protocol): Promise<Chain> {
  const { client, contracts } = protocol;
  const logs = await client.getLogs({ address: contractNames.map((name) => contracts[name]), fromBlock: 0n });
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const blocks = await inChunks(numbers, (blockNumber) => client.getBlock({ blockNumber }));
  const times = new Map(blocks.map(({ number, timestamp }) => [number, String(timestamp)]));
  return {
    ...protocol,
    timeOf: (blockNumber) => known(times, blockNumber),
    events: (name) => ({ abi: protocolAbis[name], address: contracts[name], fromBlock: 0n, strict: true }),
  };
}

const CHUNK = 50;

/** Asks for many things, some at a time, and keeps their order. */
export async function inChunks<Item, Value>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let start = 0; start < items.length; start += CHUNK)
    values.push(...(await Promise.all(items.slice(start, start + CHUNK).map(ask))));
  return values;
}

/** Everything a getter has under the ids 1, 2, 3, … up to the first id that does not exist, in this order. */
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

/** What a getter answers, or null when it reverts with the error that says that there is no such thing. */
export async function unless<Value>(errorName: string, answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk((one) => one instanceof ContractFunctionRevertedError) : null;
    if (cause instanceof ContractFunctionRevertedError && cause.data?.errorName === errorName) return null;
    throw error;
  }
}

/** What a map has under a key that it must have. */
export function known<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`The chain has no log about ${String(key)}`);
  return value;
}

/** The block in which a row began, from the log that began it. */
export const blockOf = ({ blockNumber }: { blockNumber: bigint }) => ({ blockNumber: String(blockNumber) });

/** The block and the transaction in which a row began. */
export const originOf = (log: { blockNumber: bigint; transactionHash: Hex }) => ({
  ...blockOf(log),
  txHash: log.transactionHash,
});

/** The logs by the id they carry; of several with one id the last, in the order of the chain. */
export const byId = <Log, Id>(logs: readonly Log[], idOf: (log: Log) => Id): Map<Id, Log> =>
  new Map(logs.map((log) => [idOf(log), log]));

/** As the index keeps hex: in lowercase. */
export const lower = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`;

/** As the index keeps text: PostgreSQL has no NUL. */
export const withoutNul = (text: string): string => text.replaceAll("\0", "\uFFFD");
