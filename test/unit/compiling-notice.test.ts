import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noticeWhile } from "../../stack/compiling-notice.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a compilation", () => {
  const compile = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve("file"), ms));

  it("prints a line after a second and every 2.5 s, until it is done", async () => {
    const print = vi.fn();
    const result = noticeWhile(compile(8_000), print);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await result).toBe("file");
    expect(print).toHaveBeenCalledTimes(3);
  });

  it("prints nothing if it is fast or fails", async () => {
    const print = vi.fn();
    const fast = noticeWhile(compile(500), print);
    const failed = expect(noticeWhile(Promise.reject(new Error("no")), print)).rejects.toThrow("no");
    await vi.advanceTimersByTimeAsync(20_000);
    await fast;
    await failed;
    expect(print).not.toHaveBeenCalled();
  });
});
