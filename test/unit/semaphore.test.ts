import { describe, expect, it } from "vitest";
import { createSemaphore } from "../../api/payments/semaphore";

describe("a turnstile", () => {
  it("lets no more in at a time than there are places, in the order they came, and all of them in the end", async () => {
    const { pass } = createSemaphore(3);
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const visits = Array.from({ length: 20 }, (_, number) =>
      pass(5_000, async () => {
        order.push(number);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 1));
        inside--;
        return number;
      }),
    );
    expect(await Promise.all(visits)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect([most, order]).toEqual([3, [...order].sort((a, b) => a - b)]);
  });

  it("turns away who would have to wait too long, and gives a place back when work fails", async () => {
    const { pass } = createSemaphore(1);
    let end = () => {};
    const first = pass(0, () => new Promise<void>((_, reject) => (end = () => reject(new Error("failed")))));
    expect(await pass(10, async () => "in")).toBeNull();
    end();
    await expect(first).rejects.toThrow("failed");
    expect(await pass(10, async () => "in")).toBe("in");
  });
});
