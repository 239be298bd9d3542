import { type AbiFunction, type Address, type Hex, toFunctionSelector } from "viem";

type Call = { to: Address | null; input: Hex };

const DIGITS = 64;
const SELECTOR = "0x12345678".length;

/** Thrown when calldata lacks a word or holds one that its type could not be. */
class Unreadable extends Error {}

/**
 * The arguments of one call, read in place: a general decoder takes ten times as long, and this runs for every
 * registration, submission and attestation indexed.
 */
export class Arguments {
  constructor(private readonly input: Hex) {}

  /** The last `digits` hex digits of an argument's word; the ones before them must be zero. */
  private word(place: number, digits: number): string {
    const end = SELECTOR + (place + 1) * DIGITS;
    if (this.input.length < end) throw new Unreadable();
    for (let digit = end - DIGITS; digit < end - digits; digit++)
      if (this.input.charCodeAt(digit) !== 48) throw new Unreadable();
    return this.input.slice(end - digits, end);
  }

  bytes32(place: number): Hex {
    return `0x${this.word(place, DIGITS)}`;
  }

  address(place: number): Address {
    return `0x${this.word(place, 40)}`;
  }

  uint256(place: number): bigint {
    return BigInt(this.bytes32(place));
  }

  /** An unsigned integer of at most 48 bits. */
  uint(place: number, bits: number): number {
    return Number.parseInt(this.word(place, bits / 4), 16);
  }

  /** A `bytes` or `string` argument, whose word says where its length stands, and its bytes after that. */
  bytes(place: number): Hex {
    const offset = this.uint(place, 48);
    const start = SELECTOR + offset * 2 + DIGITS;
    if (this.input.length < start) throw new Unreadable();
    const length = Number.parseInt(this.input.slice(start - DIGITS, start), 16);
    const end = start + length * 2;
    if (this.input.length < end) throw new Unreadable();
    return `0x${this.input.slice(start, end)}`;
  }
}

/**
 * Makes the function that reads the arguments with which a transaction itself called a contract's function. It gives
 * null when the transaction called something else (a relayed or nested call) or its input can't be read.
 *
 * @example
 * const revokedAgent = directCall(getAbiItem({ abi: agentRegistryAbi, name: "revokeAgent" }), (args) => args.uint256(0));
 * revokedAgent(transaction, registry) // 7n
 */
export function directCall<Value>(item: AbiFunction, read: (args: Arguments) => Value) {
  const selector = toFunctionSelector(item);
  return ({ to, input }: Call, contract: Address): Value | null => {
    if (to !== contract || !input.startsWith(selector)) return null;
    try {
      return read(new Arguments(input));
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  };
}
