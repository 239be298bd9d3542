import { describe, expect, it } from "vitest";
import { withDeadline } from "../../api/portfolio/providers/rpc/with-deadline";

const never = new Promise<never>(() => {});

describe("waiting in time", () => {
  it("gives what came, and what was thrown", async () => {
    const { signal } = new AbortController();
    expect(await withDeadline(Promise.resolve("it"), signal)).toBe("it");
    await expect(withDeadline(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
  });

  it("ends with the signal's reason when that comes first", async () => {
    const controller = new AbortController();
    const waiting = withDeadline(never, controller.signal);
    controller.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
  });

  it("ends at once when the signal has already come, and takes care of what fails afterwards", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    let fail = () => {};
    const late = new Promise<never>((_, reject) => {
      fail = () => reject(new Error("late"));
    });
    await expect(withDeadline(late, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    fail();
    // Node reports unhandled rejections at the end of a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});
