import { type Abi, type Address, BaseError, decodeEventLog, erc20Abi } from "viem";
import { type ContractAddresses, contractNames, protocolAbis } from "../../config/contracts";
import type { SimulatedLog } from "./simulate";

type Value = string | number | boolean;

/** An event that a simulated call emits. Contract and event are null if they are unknown. */
export type SimulatedEvent = {
  address: Address;
  contract: string | null;
  event: string | null;
  args: Record<string, Value>;
};

/** A value as the event log has it: integers that viem decodes to bigints as text, addresses in lowercase. */
const argumentOf = (value: unknown): Value => {
  if (typeof value === "boolean" || typeof value === "number") return value;
  const text = String(value);
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text;
};

function decode(abi: Abi, { topics, data }: SimulatedLog): { event: string; args: Record<string, Value> } | undefined {
  try {
    const { eventName, args = {} } = decodeEventLog({ abi, topics, data });
    const values = Object.entries(args).map(([name, value]) => [name, argumentOf(value)]);
    return { event: eventName ?? "", args: Object.fromEntries(values) };
  } catch (error) {
    // Any contract can emit any log.
    if (error instanceof BaseError) return undefined;
    throw error;
  }
}

/** Events of one transaction that are decoded. No function of the protocol emits as many; any contract can. */
const MAX_EVENTS = 100;

/** The events of the protocol, of tokens, and of contracts that are unknown. */
export const decodeLogs = (logs: readonly SimulatedLog[], contracts: Readonly<ContractAddresses>): SimulatedEvent[] =>
  logs.slice(0, MAX_EVENTS).map((log) => {
    const contract = contractNames.find((name) => contracts[name] === log.address) ?? null;
    const decoded = decode(contract ? protocolAbis[contract] : erc20Abi, log);
    return { address: log.address, contract, event: decoded?.event ?? null, args: decoded?.args ?? {} };
  });
