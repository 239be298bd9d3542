import { describe, expect, it } from "vitest";
import { createSemaphore } from "../../api/core/semaphore";

describe("a semaphore", () => {
  it("runs all tasks in order, with at most one task per permit at a time", async () => {
    const { run } = createSemaphore(3);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, number) =>
      run("a", 5_000, async () => {
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
    const first = run("a", 0, () => new Promise<void>((_, reject) => (end = () => reject(new Error("failed")))));
    expect(await run("a", 10, async () => "in")).toBeNull();
    end();
    await expect(first).rejects.toThrow("failed");
    expect(await run("a", 10, async () => "in")).toBe("in");
  });

  it("leaves permits for others when one client has reached its own limit", async () => {
    const { run } = createSemaphore(3, 2);
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const task = (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const running = ["a1", "a2", "a3", "a4"].map((name) => run("a", 5_000, task(name)));
    await Promise.resolve();
    expect(started).toEqual(["a1", "a2"]);
    running.push(run("b", 5_000, task("b1")), run("b", 5_000, task("b2")));
    await expect.poll(() => started).toEqual(["a1", "a2", "b1"]);
    // The permit of b1 goes to b2, because a holds as many as it may.
    ends[2]?.();
    await expect.poll(() => started).toEqual(["a1", "a2", "b1", "b2"]);
    ends[0]?.();
    await expect.poll(() => started).toEqual(["a1", "a2", "b1", "b2", "a3"]);
    ends[1]?.();
    await expect.poll(() => started).toHaveLength(6);
    for (const end of ends) end();
    await Promise.all(running);
  });
});
