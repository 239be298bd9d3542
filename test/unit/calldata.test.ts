import { type Address, encodeFunctionData, getAbiItem } from "viem";
import { describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { directCall } from "../../src/lib/calldata";

const registry: Address = "0x00000000000000000000000000000000000000aa";
const registerAgent = [getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" })] as const;
const args = ["ipfs://a", "0x1234", `0x${"11".repeat(32)}`] as const;
const input = encodeFunctionData({ abi: registerAgent, args });

describe("directCall", () => {
  it("gives the arguments of a call of the contract itself", () => {
    expect(directCall({ to: registry, input }, registry, registerAgent)).toEqual(args);
  });

  it("gives null when the transaction called something else or made a contract", () => {
    expect(directCall({ to: "0x00000000000000000000000000000000000000bb", input }, registry, registerAgent)).toBeNull();
    expect(directCall({ to: null, input }, registry, registerAgent)).toBeNull();
  });

  it("gives null for another function and for input that does not decode", () => {
    const other = encodeFunctionData({ abi: agentRegistryAbi, functionName: "revokeAgent", args: [1n] });
    expect(directCall({ to: registry, input: other }, registry, registerAgent)).toBeNull();
    expect(
      directCall({ to: registry, input: `${input.slice(0, 200)}` as `0x${string}` }, registry, registerAgent),
    ).toBeNull();
    expect(directCall({ to: registry, input: "0x" }, registry, registerAgent)).toBeNull();
  });
});
