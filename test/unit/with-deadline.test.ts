import { describe, expect, it } from "vitest";
import { withDeadline } from "../../api/core/with-deadline";

const never = new Promise<never>(() => {});

describe("withDeadline", () => {
  it("resolves with the value, and rejects with the error", async () => {
    const { signal } = new AbortController();
    expect(await withDeadline(Promise.resolve("it"), { signal, ms: 1_000 })).toBe("it");
    await expect(withDeadline(Promise.reject(new Error("failed")), { signal, ms: 1_000 })).rejects.toThrow("failed");
  });

  it("rejects with the signal's reason if it aborts first", async () => {
    const controller = new AbortController();
    const waiting = withDeadline(never, { signal: controller.signal, ms: 60_000 });
    controller.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
  });

  it("rejects with a TimeoutError after the deadline", async () => {
    const { signal } = new AbortController();
    await expect(withDeadline(never, { signal, ms: 5 })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "No answer within 5 ms",
    });
    await expect(withDeadline(never, { ms: -5 })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("rejects immediately if the signal is already aborted, and handles a later rejection", async () => {
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
