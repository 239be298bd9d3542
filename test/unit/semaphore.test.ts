import { describe, expect, it } from "vitest";
import { createSemaphore } from "../../api/core/semaphore";

describe("a semaphore", () => {
  it("runs all tasks in order, with at most one task per permit at a time", async () => {
    const { run } = createSemaphore(3);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, number) =>
      run(5_000, async () => {
        order.push(number);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return number;
      }),
    );
    expect(await Promise.all(tasks)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect([most, order]).toEqual([3, [...order].sort((a, b) => a - b)]);
  });

  it("rejects a task that would wait too long, and releases the permit when a task fails", async () => {
    const { run } = createSemaphore(1);
    let end = () => {};
    const first = run(0, () => new Promise<void>((_, reject) => (end = () => reject(new Error("failed")))));
    expect(await run(10, async () => "in")).toBeNull();
    end();
    await expect(first).rejects.toThrow("failed");
    expect(await run(10, async () => "in")).toBe("in");
  });
});
