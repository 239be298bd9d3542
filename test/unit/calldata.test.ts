import { type Address, encodeFunctionData, getAbiItem } from "viem";
import { describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { directCalls } from "../../src/lib/calldata";

const registry: Address = "0x00000000000000000000000000000000000000aa";
const registerAgentCall = directCalls(getAbiItem({ abi: agentRegistryAbi, name: "registerAgent" }));
const args = ["ipfs://a", "0x1234", `0x${"11".repeat(32)}`] as const;
const input = encodeFunctionData({ abi: agentRegistryAbi, functionName: "registerAgent", args });

describe("directCalls", () => {
  it("gives the arguments of a call of the contract itself", () => {
    expect(registerAgentCall({ to: registry, input }, registry)).toEqual(args);
  });

  it("gives null when the transaction called something else or made a contract", () => {
    expect(registerAgentCall({ to: "0x00000000000000000000000000000000000000bb", input }, registry)).toBeNull();
    expect(registerAgentCall({ to: null, input }, registry)).toBeNull();
  });

  it("gives null for another function and for input that does not decode", () => {
    const other = encodeFunctionData({ abi: agentRegistryAbi, functionName: "revokeAgent", args: [1n] });
    expect(registerAgentCall({ to: registry, input: other }, registry)).toBeNull();
    expect(registerAgentCall({ to: registry, input: `${input.slice(0, 200)}` as `0x${string}` }, registry)).toBeNull();
    expect(registerAgentCall({ to: registry, input: "0x" }, registry)).toBeNull();
  });
});
