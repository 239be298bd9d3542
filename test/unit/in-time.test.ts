import { describe, expect, it } from "vitest";
import { inTime } from "../../api/portfolio/in-time";

const never = new Promise<never>(() => {});

describe("waiting in time", () => {
  it("gives what came, and what was thrown", async () => {
    const { signal } = new AbortController();
    expect(await inTime(Promise.resolve("it"), signal)).toBe("it");
    await expect(inTime(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  });

  it("ends with the signal's reason when that comes first", async () => {
    const controller = new AbortController();
    const waiting = inTime(never, controller.signal);
    controller.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
  });

  it("ends at once when the signal has already come, and takes care of what fails afterwards", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), 5));
    await expect(inTime(late, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});
