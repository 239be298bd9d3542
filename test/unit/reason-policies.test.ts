import { type Address, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import type { Denial } from "../../api/preflight/check";
import { policyOf } from "../../api/preflight/reason";
import { paymentUpdates, transactionUpdates } from "../../api/preflight/updates";

const ACCOUNT: Address = `0x${"a1".repeat(20)}`;
const TARGET: Address = `0x${"b2".repeat(20)}`;

const payment = { merchant: TARGET, token: TARGET, facilitator: zeroAddress, amount: 9n };
const spendOf = (token: Address) => {
  return { token, attempted: 9n, maxPerDay: 5n, spentToday: 1n, remaining: 4n, allowed: false };
};
const [ofToken, ofCoin] = [spendOf(TARGET), spendOf(zeroAddress)];

const transactionDenials: Denial[] = [
  { why: "frozen" },
  { why: "target", target: TARGET },
  { why: "function", target: TARGET, selector: "0x12345678" },
  { why: "spend", check: ofCoin },
  { why: "spend", check: ofToken },
];
const paymentDenials: Denial[] = [
  { why: "payment", payment },
  { why: "payment size", payment, maxPerPayment: 5n },
  { why: "payment spend", payment, check: ofToken },
];

describe("the policy of a reason of the preflight", () => {
  const updates = [
    ...transactionUpdates(ACCOUNT, transactionDenials),
    ...paymentUpdates({ frozen: false, policy: undefined }, payment, { denials: paymentDenials, spend: ofToken }),
  ];

  it.each<[Denial["why"], Denial, string, Address | null]>([
    ["frozen", transactionDenials[0], "ACCOUNT_FROZEN", null],
    ["target", transactionDenials[1], "TARGET_ALLOWLIST", null],
    ["function", transactionDenials[2], "FUNCTION_ALLOWLIST", null],
    ["spend", transactionDenials[3], "SPEND_LIMIT", zeroAddress],
    ["spend", transactionDenials[4], "SPEND_LIMIT", TARGET],
    ["payment", paymentDenials[0], "PAYMENT_POLICY", TARGET],
    ["payment size", paymentDenials[1], "PAYMENT_POLICY", TARGET],
    ["payment spend", paymentDenials[2], "PAYMENT_POLICY", TARGET],
  ] as [Denial["why"], Denial, string, Address | null][])("%s: %o is %s", (_, denial, policyType, token) => {
    const found = policyOf(denial, updates);
    expect(found).toMatchObject({ policyType, token });
    const update = updates[found.update ?? -1];
    expect(update?.policyType).toBe(policyType);
    if (policyType === "SPEND_LIMIT") expect(update).toMatchObject({ token });
  });

  it("has no update if none removes the denial", () => {
    expect(policyOf({ why: "frozen" }, [])).toEqual({ policyType: "ACCOUNT_FROZEN", token: null, update: null });
  });
});
