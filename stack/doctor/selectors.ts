import { type Abi, type Hex, toEventSelector, toFunctionSelector, trim } from "viem";
import type { ContractName } from "../../config/contracts";

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Functions that the handlers read. Other read functions are only for other programs. */
const reads: Readonly<Partial<Record<ContractName, readonly string[]>>> = {
  AgentRegistry: ["getAgent"],
  AttestationRegistry: ["getAttestation"],
  IntentBook: ["getIntent"],
};

/** OpenZeppelin declares this event of ERC-5267. A contract with a fixed domain never emits it. */
const NEVER_EMITTED = "EIP712DomainChanged";

/** The constants that a contract pushes on the stack, without leading zeros: solc uses the shortest PUSH. */
function pushedConstants(code: Hex): ReadonlySet<Hex> {
  const bytes = Buffer.from(code.slice(2), "hex");
  const found = new Set<Hex>();
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at] ?? 0;
    if (opcode < PUSH1 || opcode > PUSH32) continue;
    const length = opcode - PUSH1 + 1;
    found.add(trim(`0x${bytes.toString("hex", at + 1, at + 1 + length)}`));
    at += length;
  }
  return found;
}

export type Missing = {
  /** Events, transactions and reads that the index needs. */
  needed: string[];
  /** Other functions of the ABI. */
  other: string[];
};

/**
 * The events and functions of an ABI that a contract's code lacks. A contract compiled by solc compares the call's selector
 * with a constant for each function, and pushes an event's topic before it emits the event.
 *
 * @example
 * missingIn("0x", "IntentBook", intentBookAbi).needed // ["submitIntent", …, "IntentSubmitted", …]
 */
export function missingIn(code: Hex, contract: ContractName, abi: Abi): Missing {
  const constants = pushedConstants(code);
  const missing: Missing = { needed: [], other: [] };
  for (const item of abi) {
    if (item.type === "event" && item.name !== NEVER_EMITTED) {
      if (!constants.has(trim(toEventSelector(item)))) missing.needed.push(item.name);
    } else if (item.type === "function") {
      if (constants.has(trim(toFunctionSelector(item)))) continue;
      const isRead = item.stateMutability === "view" || item.stateMutability === "pure";
      const isNeeded = !isRead || reads[contract]?.includes(item.name);
      missing[isNeeded ? "needed" : "other"].push(item.name);
    }
  }
  return missing;
}
