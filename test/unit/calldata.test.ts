import fc from "fast-check";
import { type Address, encodeFunctionData, getAbiItem, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { directCall } from "../../src/lib/calldata";
import { anyText } from "../support/any-text";
import { runs } from "../support/seed";

const registry: Address = "0x00000000000000000000000000000000000000aa";
const registeredAgent = directCall(getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" }), (args) => [
  Buffer.from(args.bytes(0).slice(2), "hex").toString(),
  args.bytes(1),
  args.bytes32(2),
]);
const inputOf = (args: readonly [string, Hex, Hex]) =>
  encodeFunctionData({ abi: agentRegistryAbi, functionName: "registerAgent", args });

const bytes = (constraints: fc.IntArrayConstraints) =>
  fc.uint8Array(constraints).map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const call = fc.tuple(anyText(), bytes({ maxLength: 200 }), bytes({ minLength: 32, maxLength: 32 }));
const example = inputOf(["ipfs://a", "0x1234", `0x${"11".repeat(32)}`]);

describe("directCall", () => {
  it("decodes the arguments of any direct call of the contract", () => {
    fc.assert(
      fc.property(call, (args) => {
        expect(registeredAgent({ to: registry, input: inputOf(args) }, registry)).toEqual(args);
      }),
    );
  });

  it("returns null for a call of another address and for a contract creation", () => {
    const input = example;
    expect(registeredAgent({ to: "0x00000000000000000000000000000000000000bb", input }, registry)).toBeNull();
    expect(registeredAgent({ to: null, input }, registry)).toBeNull();
  });

  it("returns null for another function", () => {
    const other = encodeFunctionData({ abi: agentRegistryAbi, functionName: "revokeAgent", args: [1n] });
    expect(registeredAgent({ to: registry, input: other }, registry)).toBeNull();
    expect(registeredAgent({ to: registry, input: "0x" }, registry)).toBeNull();
  });

  it("never throws on truncated or modified calldata", () => {
    fc.assert(
      fc.property(
        fc.nat(example.length),
        fc.nat(example.length - 11),
        fc.constantFrom("0", "8", "f"),
        (end, at, digit) => {
          const changed = `${example.slice(0, 10 + at)}${digit}${example.slice(11 + at)}`.slice(0, end) as Hex;
          expect(() => registeredAgent({ to: registry, input: changed }, registry)).not.toThrow();
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("returns null for a length beyond the end of the calldata", () => {
    const lengthAt = 10 + 3 * 64;
    const long = `${example.slice(0, lengthAt)}${"f".repeat(64)}${example.slice(lengthAt + 64)}` as Hex;
    expect(registeredAgent({ to: registry, input: long }, registry)).toBeNull();
  });
});
