import { describe, expect, it } from "vitest";
import { withDeadline } from "../../api/core/with-deadline";

const never = new Promise<never>(() => {});

describe("waiting in time", () => {
  it("gives what came, and what was thrown", async () => {
    const { signal } = new AbortController();
    expect(await withDeadline(Promise.resolve("it"), { signal, ms: 1_000 })).toBe("it");
    await expect(withDeadline(Promise.reject(new Error("failed")), { signal, ms: 1_000 })).rejects.toThrow("failed");
  });

  it("ends with the signal's reason when that comes first", async () => {
    const controller = new AbortController();
    const waiting = withDeadline(never, { signal: controller.signal, ms: 60_000 });
    controller.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
  });

  it("ends with a TimeoutError when the time is over first", async () => {
    const { signal } = new AbortController();
    await expect(withDeadline(never, { signal, ms: 5 })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "No answer within 5 ms",
    });
    await expect(withDeadline(never, { ms: -5 })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("ends at once when the signal has already come, and takes care of what fails afterwards", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    let fail = () => {};
    const late = new Promise<never>((_, reject) => {
      fail = () => reject(new Error("late"));
    });
    await expect(withDeadline(late, { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
    fail();
    // Node reports unhandled rejections at the end of a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});
