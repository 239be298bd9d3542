import type { IncomingMessage, ServerResponse } from "node:http";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withDeadline } from "../../api/core/with-deadline";
import type { ResponseCache } from "../../api/http/response-cache";
import { TIME_LIMIT_MS } from "../../api/http/time-limit";
import type { Context } from "../../api/operations/context";
import { serveDirectly } from "../../api/transports/rest/serve-directly";

describe("a read whose URL is in the cache", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** A request while the cache waits for the revision of the index. */
  function requestWhile(find: () => Promise<undefined>) {
    const run = vi.fn(() => new Promise<never>(() => {}));
    const cache: Pick<ResponseCache, "find" | "get"> = { find, get: run };
    const serve = serveDirectly({ config: {} } as Context, cache as ResponseCache, pino({ enabled: false }));
    const sent: { status?: number; body?: string } = {};
    const response = {
      writeHead: (status: number) => Object.assign(sent, { status }),
      end: (body: Buffer) => Object.assign(sent, { body: String(body) }),
    };
    const request = {
      method: "GET",
      url: "/agents/1",
      headers: { host: "localhost" },
      headersDistinct: {},
      socket: {},
    };
    const served = serve(request as IncomingMessage, response as unknown as ServerResponse);
    return { sent, served, run };
  }

  const tooSlow = { status: 503, body: expect.stringContaining("The request took too long; try again") };

  it("is a 503 after the time limit if the revision can't be read, and then starts no read", async () => {
    // The cache's own limit: see response-cache.test.ts.
    const { sent, served, run } = requestWhile(() => withDeadline(new Promise(() => {}), { ms: TIME_LIMIT_MS }));
    await vi.advanceTimersByTimeAsync(TIME_LIMIT_MS - 1);
    expect(sent).toEqual({});
    await vi.advanceTimersByTimeAsync(2);
    expect(await served).toBe(true);
    expect(sent).toEqual(tooSlow);
    expect(run).not.toHaveBeenCalled();
  });

  it("has what remains of the time limit after the revision was read", async () => {
    const { sent, run } = requestWhile(() => new Promise((resolve) => setTimeout(() => resolve(undefined), 10_000)));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(run).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(TIME_LIMIT_MS - 10_001);
    expect(sent).toEqual({});
    await vi.advanceTimersByTimeAsync(2);
    expect(sent).toEqual(tooSlow);
  });
});
