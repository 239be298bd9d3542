import { type Abi, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { describe, expect, it } from "vitest";
import { policyModuleAbi } from "../../abis/index";
import { requirePolicyUpdate } from "../../client/src/market/policy-update";

const [policyModule, agent, token, payTo, other] = ["1a", "2a", "3a", "4a", "5a"].map(
  (digits): Hex => `0x${digits.repeat(20)}`,
) as [Hex, Hex, Hex, Hex, Hex];

const payment = { agent, token, payTo };

const call = (functionName: string, args: readonly unknown[], abi: Abi = policyModuleAbi) =>
  encodeFunctionData({ abi, functionName, args });

const check = (data: Hex, to = policyModule) => requirePolicyUpdate({ to, data }, policyModule, payment);

describe("a change of policies that the service suggests to a buyer", () => {
  it.each([
    ["setAccountFrozen", [agent, false]],
    ["setTargetAllowed", [token, true]],
    ["setFunctionAllowed", [token, "0xa9059cbb", true]],
    ["setSpendLimit", [token, 5n]],
    ["setPaymentPolicy", [payTo, token, other, 5n, 5n, true]],
  ])("may be %s", (name, args) => {
    expect(() => check(call(name, args))).not.toThrow();
  });

  it.each<[string, () => void]>([
    ["about another token", () => check(call("setSpendLimit", [other, 5n]))],
    ["about another target", () => check(call("setTargetAllowed", [other, true]))],
    ["about another merchant", () => check(call("setPaymentPolicy", [other, token, other, 5n, 5n, true]))],
    ["a new guardian", () => check(call("setGuardian", [other]))],
    ["no change of policies", () => check(call("transfer", [other, 5n], erc20Abi), token)],
    ["of another contract", () => check(call("setSpendLimit", [token, 5n]), token)],
    ["no calldata", () => check("0x")],
  ])("attack: must not be %s", (_, checked) => {
    expect(checked).toThrow("a change of policies that the payment does not need. Nothing was sent");
  });
});
