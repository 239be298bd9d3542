import { type Address, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import type { Denial } from "../../api/preflight/check";
import { reasonOf } from "../../api/preflight/reason";
import { policyOf } from "../../explorer/components/policy-fix";

const ACCOUNT: Address = `0x${"a1".repeat(20)}`;
const TARGET: Address = `0x${"b2".repeat(20)}`;

const payment = { merchant: TARGET, token: TARGET, facilitator: zeroAddress, amount: 9n };
const check = { token: TARGET, attempted: 9n, maxPerDay: 5n, spentToday: 1n, remaining: 4n, allowed: false };

describe("the policy that a reason of the preflight is about", () => {
  it.each<[Denial, string]>([
    [{ why: "frozen" }, "ACCOUNT_FROZEN"],
    [{ why: "target", target: TARGET }, "TARGET_ALLOWLIST"],
    [{ why: "function", target: TARGET, selector: "0x12345678" }, "FUNCTION_ALLOWLIST"],
    [{ why: "spend", check }, "SPEND_LIMIT"],
    [{ why: "spend", check: { ...check, token: zeroAddress } }, "SPEND_LIMIT"],
    [{ why: "payment", payment }, "PAYMENT_POLICY"],
    [{ why: "payment size", payment, maxPerPayment: 5n }, "PAYMENT_POLICY"],
    [{ why: "payment spend", payment, check }, "PAYMENT_POLICY"],
  ])("%o", (denial, policy) => {
    expect(policyOf(reasonOf(ACCOUNT, denial))).toBe(policy);
  });
});
