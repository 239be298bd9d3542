import { describe, expect, it } from "vitest";
import { eventNamed, type TransactionExplanation } from "../../client/src/index";

const events: TransactionExplanation["events"] = [
  { eventName: "AgentRevoked", args: { agentId: "1" }, description: "" },
  { eventName: "IntentCancelled", args: { intentId: "5" }, description: "" },
  { eventName: "IntentCancelled", args: { intentId: "6" }, description: "" },
];

describe("eventNamed", () => {
  it("returns the first event with the name", () => {
    expect(eventNamed(events, "IntentCancelled").args.intentId).toBe("5");
  });

  it("throws if there is none", () => {
    expect(() => eventNamed(events, "IntentFilled")).toThrow(
      expect.objectContaining({ code: "not_found", message: "The transactions have no event IntentFilled" }),
    );
  });
});
