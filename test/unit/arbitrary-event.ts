import fc from "fast-check";
import { type AbiEvent, type AbiParameter, zeroAddress } from "viem";
import { contractNames, protocolAbis } from "../../config/contracts";
import { argumentEncoder } from "../../src/lib/event-log";
import { anyText } from "../support/any-text";

/** Every event of the protocol. */
export const events = contractNames.flatMap((contract) => {
  const abi: readonly { type: string; name?: string }[] = protocolAbis[contract];
  return abi
    .filter((item): item is AbiEvent => item.type === "event" && item.name !== "EIP712DomainChanged")
    .map((event) => ({ contract, event, name: event.name }));
});

const hex = (bytes: number) =>
  fc
    .bigInt({ min: 0n, max: 2n ** BigInt(8 * bytes) - 1n })
    .map((value) => `0x${value.toString(16).padStart(2 * bytes, "0")}`);

/** Strings that look like formatting bugs, or contain line breaks. */
const misleading = fc.constantFrom("NaN", "undefined", "null", "[object Object]", "a\nb", "a\u2028b", 'a" "b', "\\");

/** Any value of an ABI type as viem decodes it. Values with special wording are more frequent. */
const arbitraryOf = ({ type }: AbiParameter): fc.Arbitrary<unknown> => {
  if (type === "bool") return fc.boolean();
  if (type === "string") return fc.oneof(anyText(), fc.string({ minLength: 500, maxLength: 600 }), misleading);
  if (type === "address") return fc.oneof({ weight: 4, arbitrary: hex(20) }, fc.constant(zeroAddress));
  const bytes = /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes) return hex(Number(bytes));
  const bits = Number(/^uint(\d+)$/.exec(type)?.[1]);
  if (bits > 48)
    return fc.oneof({ weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }) }, fc.constant(0n));
  if (bits > 0) return fc.integer({ min: 0, max: 2 ** bits - 1 });
  throw new Error(`No arbitrary for type ${type}`);
};

/** The arguments of an event as the event log returns them. */
export const argumentsOf = ({ contract, event }: (typeof events)[number]) => {
  const encode = argumentEncoder(contract, event.name);
  const values = Object.fromEntries(event.inputs.map((input) => [input.name ?? "", arbitraryOf(input)]));
  return fc.record(values).map((args): Record<string, string | number | boolean> => JSON.parse(encode(args)));
};

/** Any event of the protocol with its arguments. */
export const anyEvent = fc.oneof(...events.map((event) => argumentsOf(event).map((args) => ({ ...event, args }))));
