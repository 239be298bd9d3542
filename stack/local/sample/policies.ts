import { encodeFunctionData, parseEther, parseUnits, zeroAddress } from "viem";
import { testDollarAbi } from "../../../abis/index";
import type { Protocol } from "../protocol";
import { hashOf, people } from "./people";

const { alice, bob, dataMerchant, facilitator } = people;

const transferSelector = "0xa9059cbb";

/** Funds the smart account and sets its spend limits, allowlists and guardian. */
export async function smartAccountPolicies({ write, contracts, client }: Protocol): Promise<void> {
  const { TestDollar, PolicyAccount } = contracts;
  await write(alice, "TestDollar", "mint", [PolicyAccount, parseUnits("500", 6)]);
  await client.setBalance({ address: PolicyAccount, value: parseEther("3") });
  await write(alice, "PolicyAccount", "setSpendLimit", [TestDollar, parseUnits("100", 6)]);
  await write(alice, "PolicyAccount", "setSpendLimit", [zeroAddress, parseEther("1")]);
  await write(alice, "PolicyAccount", "setTargetAllowed", [TestDollar, true]);
  await write(alice, "PolicyAccount", "setTargetAllowed", [bob.address, true]);
  await write(alice, "PolicyAccount", "setFunctionAllowed", [TestDollar, transferSelector, true]);
  await write(alice, "PolicyAccount", "setUseFunctionAllowlist", [true]);
  await write(alice, "PolicyAccount", "setGuardian", [bob.address]);
}

/** Sends test dollars and native coin from the smart account. PolicyModule counts both against their limits. */
export async function smartAccountSpending({ write, contracts }: Protocol, dollars: string): Promise<void> {
  const transfer = encodeFunctionData({
    abi: testDollarAbi,
    functionName: "transfer",
    args: [bob.address, parseUnits(dollars, 6)],
  });
  await write(alice, "PolicyAccount", "execute", [contracts.TestDollar, 0n, transfer]);
  await write(alice, "PolicyAccount", "execute", [bob.address, parseEther("0.1"), "0x"]);
}

/** Sets a payment policy of a plain account for one merchant. Its guardian freezes and unfreezes the account. */
export async function paymentPolicies({ write, contracts }: Protocol): Promise<void> {
  const pair = [dataMerchant.address, contracts.TestDollar, facilitator.address] as const;
  await write(bob, "PolicyModule", "setPaymentPolicy", [...pair, parseUnits("20", 6), parseUnits("50", 6), true]);
  await write(bob, "PolicyModule", "recordSignedPayment", [...pair, parseUnits("12.5", 6), hashOf("payment 1")]);
  await write(bob, "PolicyModule", "setGuardian", [alice.address]);
  await write(alice, "PolicyModule", "setAccountFrozen", [bob.address, true]);
  await write(alice, "PolicyModule", "setAccountFrozen", [bob.address, false]);
}
