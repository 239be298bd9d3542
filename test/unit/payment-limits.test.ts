import { describe, expect, it } from "vitest";
import { TooMany } from "../../api/core/errors";
import { MAX_CLIENTS } from "../../api/core/minute-counts";
import { createPaymentLimits } from "../../api/payments/payment-limits";

describe("the limits of a client's payments", () => {
  it("count every payment that is not accepted, per client and minute", () => {
    let time = 90_000;
    const limits = createPaymentLimits(2, () => time);
    limits.begin("a").end();
    limits.begin("a").end();
    expect(() => limits.begin("a")).toThrow(TooMany);
    expect(() => limits.begin("a")).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
    limits.begin("b").end();
    time = 120_000;
    limits.begin("a").end();
  });

  it("do not count accepted payments, and count those that are rejected later", () => {
    const limits = createPaymentLimits(2, () => 0);
    for (let number = 0; number < 10; number++) {
      const attempt = limits.begin("a");
      attempt.mark(false);
      attempt.mark(false);
      attempt.end();
    }
    const [first, second] = [limits.begin("a"), limits.begin("a")];
    for (const attempt of [first, second]) attempt.mark(false);
    expect(() => limits.begin("a").mark(false)).not.toThrow();
    for (const attempt of [first, second]) attempt.mark(true);
    expect(() => limits.begin("a")).toThrow("2 payments of this client were rejected in a minute");
  });

  it("do not count a payment of an earlier minute in this one", () => {
    let time = 0;
    const limits = createPaymentLimits(1, () => time);
    const earlier = limits.begin("a");
    time = 60_000;
    const attempt = limits.begin("a");
    earlier.mark(false);
    expect(() => limits.begin("a")).toThrow(TooMany);
    attempt.mark(false);
    expect(() => limits.begin("a")).not.toThrow();
  });

  it("remember a bounded number of clients: then counting starts again", () => {
    const limits = createPaymentLimits(1, () => 0);
    limits.begin("first").end();
    for (let number = 1; number < MAX_CLIENTS; number++) limits.begin(`client ${number}`).end();
    expect(() => limits.begin("first")).not.toThrow();
    expect(() => limits.begin("first")).toThrow(TooMany);
  });

  it("bound the payments in progress", () => {
    const limits = createPaymentLimits();
    const attempts = Array.from({ length: 40 }, () => limits.begin("a"));
    expect(() => limits.begin("a")).toThrow("40 payments of this client are in progress");
    expect(() => limits.begin("b")).not.toThrow();
    attempts[0]?.end();
    expect(() => limits.begin("a")).not.toThrow();
  });
});
