import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { BaseContext } from "../../api/core/context";
import { operation, z } from "../../api/core/operation";
import { runOperation } from "../../api/core/run";
import { START } from "../../api/events/cursor";
import type { EventLog } from "../../api/events/event-log";
import { withVisibleSnapshots } from "../../api/events/open-feed";
import { MAX_AGE_MS, shareReads } from "../../api/indexed/shared-read";

/** A value whose reads finish when the test lets them, with the number of the read. */
function controlledReads() {
  const finishers: ((error?: Error) => void)[] = [];
  const shared = shareReads(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = finishers.length + 1;
        finishers.push((error) => (error ? reject(error) : resolve(number)));
      }),
  );
  return { shared, finishers, finish: (number: number, error?: Error) => finishers[number - 1]?.(error) };
}

const tooOld = () => setTimeout(3 * MAX_AGE_MS);

describe("a shared read", () => {
  it("serves concurrent callers", async () => {
    const { shared, finishers, finish } = controlledReads();
    const values = Promise.all([shared.read(), shared.read(), shared.read()]);
    finish(1);
    expect(await values).toEqual([1, 1, 1]);
    expect(finishers).toHaveLength(1);
  });

  it("is repeated once it is too old", async () => {
    const { shared, finish } = controlledReads();
    const first = shared.read();
    finish(1);
    await first;
    await tooOld();
    expect(shared.peek()).toBeUndefined();
    const second = shared.read();
    finish(2);
    expect(await second).toBe(2);
  });

  it("that is slow is not used by callers that came later: they share the next one", async () => {
    const { shared, finishers, finish } = controlledReads();
    const early = shared.read();
    await tooOld();
    const late = Promise.all(Array.from({ length: 100 }, () => shared.read()));
    await setTimeout(0);
    expect(finishers).toHaveLength(1);
    finish(1);
    expect(await early).toBe(1);
    await expect.poll(() => finishers.length).toBe(2);
    finish(2);
    expect(new Set(await late)).toEqual(new Set([2]));
  });

  it("that fails is reported to its callers only", async () => {
    const { shared, finish } = controlledReads();
    const failing = shared.read();
    finish(1, new Error("away"));
    await expect(failing).rejects.toThrow("away");
    const later = shared.read();
    finish(2);
    expect(await later).toBe(2);
  });
});

/** A shared read may be this old, so nothing may be announced earlier than this after its commit. */
describe("the time from a commit", () => {
  it("to the response to a write is longer than the age of a shared read", async () => {
    let committedAt = Number.POSITIVE_INFINITY;
    const write = operation({
      route: "POST /writes",
      summary: "Writes.",
      input: z.object({}),
      output: z.object({}),
      example: {},
      writes: true,
      dependsOn: ["store"],
      async run() {
        committedAt = performance.now();
        return {};
      },
    });
    const context = { config: { writeTokens: [] } } as unknown as BaseContext;
    await runOperation(context, write as never, {}, { baseUrl: "", client: "one", hasWriteToken: false });
    expect(performance.now() - committedAt).toBeGreaterThanOrEqual(MAX_AGE_MS);
  });

  it("to the delivery of an event is longer than the age of a shared read", async () => {
    let readAt = Number.POSITIVE_INFINITY;
    const log = {
      async snapshot() {
        readAt = performance.now();
        return { ready: true, finalizedBlock: 0n, blocks: [], rows: [] };
      },
    } as unknown as EventLog;
    await withVisibleSnapshots(log).snapshot(START, START, 1);
    expect(performance.now() - readAt).toBeGreaterThanOrEqual(MAX_AGE_MS);
  });
});
