import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ExplorerClient } from "../../explorer/client";
import { followPage } from "../../explorer/live/follow-page";
import type { LiveEvent } from "../../explorer/page";

const event = (id: string, finality: LiveEvent["finality"]): LiveEvent => ({
  id,
  block_number: "7",
  timestamp: "1",
  tx_hash: "0x02",
  summary: "",
  finality,
  isReverted: false,
});

describe("the stream of a page", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  /** Follows a page until its second request. The first one gets the status. Returns the positions of both. */
  async function requestsOf(events: readonly LiveEvent[] | null, status: number, current: readonly LiveEvent[] = []) {
    const requests: unknown[] = [];
    const ended = new AbortController();
    const client = {
      events: { recent: { query: async () => ({ events: current }) } },
      // biome-ignore lint/correctness/useYield: no event arrives
      async *follow(filter: unknown) {
        requests.push(filter);
        if (requests.length === 2) ended.abort();
        throw Object.assign(new Error("refused"), { status });
      },
    } as unknown as ExplorerClient;
    const [expired, failed] = [vi.fn(), vi.fn()];
    const following = followPage(
      { filter: { intent_id: 5n } },
      {
        client,
        block: 7n,
        events,
        signal: ended.signal,
        onMessage: () => {},
        onExpired: expired,
        onFailure: failed,
        reload: () => {},
      },
    );
    // Two pauses of 2 s. Other files of this thread may have timers that never end.
    await vi.advanceTimersByTimeAsync(5_000);
    await following;
    return { requests, expired: expired.mock.calls, failed: failed.mock.calls.length };
  }

  it.each([
    [
      "after the newest event, if a reorg can remove it",
      [event("b", "pending"), event("a", "pending")],
      { after: "b" },
    ],
    ["at the block of the page, if its events are final", [event("b", "finalized")], { from_block: 7n }],
    ["at the block of the page, if it has no events", [], { from_block: 7n }],
    ["at the block of the page, if its events could not be read", null, { from_block: 7n }],
  ])("starts %s, also after a failure", async (_, events, position) => {
    const { requests, expired, failed } = await requestsOf(events, 503);
    const request = { intent_id: 5n, ...position };
    expect({ requests, expired, failed }).toEqual({ requests: [request, request], expired: [], failed: 2 });
  });

  it("reads the events again if the service no longer knows the last one", async () => {
    const current = [event("d", "pending"), event("c", "finalized")];
    const { requests, expired } = await requestsOf([event("b", "pending")], 410, current);
    expect(requests).toEqual([
      { intent_id: 5n, after: "b" },
      { intent_id: 5n, after: "d" },
    ]);
    expect(expired[0]).toEqual([current]);
  });
});
