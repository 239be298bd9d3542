import { type AbiFunction, type Address, type Hex, toFunctionSelector } from "viem";

type Call = { to: Address | null; input: Hex };

const DIGITS = 64;
const SELECTOR = "0x12345678".length;

/** Thrown when calldata is too short or a word is out of range for its type. */
class Unreadable extends Error {}

/**
 * Reads the arguments of one call in place. It runs for every registration, submission and attestation, and a general ABI
 * decoder is ten times slower.
 */
export class Arguments {
  constructor(private readonly input: Hex) {}

  /** The last `digits` hex digits of an argument's word. The digits before them must be zero. */
  private word(place: number, digits: number): string {
    const end = SELECTOR + (place + 1) * DIGITS;
    if (this.input.length < end) throw new Unreadable();
    for (let digit = end - DIGITS; digit < end - digits; digit++)
      if (this.input.charCodeAt(digit) !== 48) throw new Unreadable();
    return this.input.slice(end - digits, end);
  }

  /** Consecutive words, as they are. */
  words(place: number, count: number): Hex {
    const start = SELECTOR + place * DIGITS;
    const end = start + count * DIGITS;
    if (this.input.length < end) throw new Unreadable();
    return `0x${this.input.slice(start, end)}`;
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

  /** A `bytes` or `string` argument. Its word is the offset of the length, which the bytes follow. */
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
 * Workaround of Ponder 0.16.10: docs/upstream.md#reads-in-handlers
 *
 * Returns a function that reads the arguments of a transaction's direct call to a contract function. It returns null for
 * relayed and nested calls, and for calldata that can't be decoded. Without it, what an event lacks would be read from the
 * contract, and a backfill would index 20 such events per second.
 *
 * Test: test/system/submissions.test.ts "comes from the calldata of a direct call, without a contract read"
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
