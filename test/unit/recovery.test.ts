import { describe, expect, it } from "vitest";
import { waitForRecovery } from "../../api/core/recovery";
import type { IndexHead } from "../../api/indexed/head";

const headAt = (block: bigint, isComplete = true, schema = "build"): IndexHead => ({
  historyDone: isComplete,
  isComplete,
  block,
  timestamp: block,
  builtBlock: block,
  revision: `${schema} ${block}`,
});

/** A head that the test sets, and the reads that wait for a recovery. */
function controlled(first: IndexHead) {
  const state = { head: first, now: 0 };
  const guarded = waitForRecovery({ peek: () => state.head, read: async () => state.head }, () => state.now);
  return { state, guarded };
}

describe("reads while the indexer recovers", () => {
  it("are served during the first backfill", async () => {
    const { state, guarded } = controlled(headAt(1n, false));
    expect((await guarded.read()).block).toBe(1n);
    state.head = headAt(5n, false);
    expect((await guarded.read()).block).toBe(5n);
  });

  it("wait until the index has reached the block that was served", async () => {
    const { state, guarded } = controlled(headAt(100n));
    await guarded.read();
    // Ponder still names the newest block after it has rolled back.
    state.head = headAt(100n, false);
    expect(guarded.peek()).toBeUndefined();
    const read = guarded.read();
    state.head = headAt(70n);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(guarded.peek()).toBeUndefined();
    state.head = headAt(101n);
    expect((await read).block).toBe(101n);
    expect(guarded.peek()?.block).toBe(101n);
  });

  it("fail with 503 if it takes long, and are served if the chain has become shorter", async () => {
    const { state, guarded } = controlled(headAt(100n));
    await guarded.read();
    state.head = headAt(100n, false);
    const read = guarded.read();
    state.now = 10_000;
    await expect(read).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2 });
    state.head = headAt(90n);
    state.now = 80_000;
    expect((await guarded.read()).block).toBe(90n);
  });

  it("are served after a reorg without a restart, and from another build", async () => {
    const { state, guarded } = controlled(headAt(100n));
    await guarded.read();
    state.head = headAt(98n);
    expect((await guarded.read()).block).toBe(98n);
    state.head = headAt(50n, false, "other");
    expect((await guarded.read()).block).toBe(50n);
  });
});
