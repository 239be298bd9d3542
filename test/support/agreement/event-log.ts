import { type Abi, type AbiEvent, decodeEventLog, type Hex, type Log, toEventSelector } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../../config/contracts";
import { type Chain, inChunks, known, lower, type Rows, withoutNul } from "./chain";

type Value = string | number | boolean;

/** An argument as the event log stores it, by its ABI type. */
function kept(type: string, value: unknown): Value {
  if (type === "address") return String(value).toLowerCase();
  if (type === "string") return withoutNul(String(value));
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  throw new Error(`An event argument of type ${type} is ${typeof value}`);
}

/** The name and the arguments of a log, decoded by viem against the contract's own ABI. */
function decode(contract: ContractName, { topics, data }: Pick<Log<bigint, number, false>, "topics" | "data">) {
  const abi: Abi = protocolAbis[contract];
  const event = abi.find((item): item is AbiEvent => item.type === "event" && toEventSelector(item) === topics[0]);
  if (!event) throw new Error(`${contract} has no event ${topics[0]}`);
  const decoded: Record<string, unknown> = { ...decodeEventLog({ abi: [event], topics, data }).args };
  const args = event.inputs.map(({ name = "", type }) => [name, kept(type, decoded[name])] as const);
  return { name: event.name, args: JSON.stringify(Object.fromEntries(args)) };
}

const digits = (value: bigint | number, width: number) => String(value).padStart(width, "0");

/** The sender and the recipient of each transaction. */
async function partiesOf({ client }: Chain, hashes: readonly Hex[]) {
  const found = await inChunks([...new Set(hashes)], async (hash) => {
    const { from, to } = await client.getTransaction({ hash });
    return [hash, { txFrom: lower(from), txTo: to && lower(to) }] as const;
  });
  return new Map(found);
}

/** Every log of the protocol's contracts, from eth_getLogs. */
export async function eventLogRows(chain: Chain): Promise<Rows<"eventLog">> {
  const { client, contracts, timeOf, events } = chain;
  const logs = await Promise.all(
    contractNames.map(async (contract) => {
      const ofContract = await client.getLogs({ address: contracts[contract], fromBlock: events(contract).fromBlock });
      return ofContract.map((log) => ({
        id: `${digits(log.blockNumber, 12)}-${digits(log.logIndex, 6)}`,
        blockHash: log.blockHash,
        blockTimestamp: timeOf(log.blockNumber),
        txHash: log.transactionHash,
        contract,
        ...decode(contract, log),
      }));
    }),
  );
  const all = logs.flat();
  const parties = await partiesOf(
    chain,
    all.map(({ txHash }) => txHash),
  );
  return { eventLog: all.map((log) => ({ ...log, ...known(parties, log.txHash) })) };
}
