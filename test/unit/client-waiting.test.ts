import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { reconnectDelay } from "../../client/src/follow";
import { createIntentryClient, IntentryError, type Reconnection } from "../../client/src/index";
import { wait } from "../../client/src/wait";
import { type Handler, json, serve } from "./stand-in";

describe("follow", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  it("resumes after the last message when the connection is lost, and throws the error of a rejected request", async () => {
    const streams = [
      'id: a\nevent: ready\ndata: {"id":"a","finalized_block_number":"1"}\n\nid: b\ndata: {"event":"one"}\n\n: heartbeat\n\nid: c\ndata: {"eve',
      'id: b\nevent: ready\ndata: {"id":"b","finalized_block_number":"2"}\n\nid: c\nevent: removed\ndata: {"event":"one"}\n\nevent: finalized\ndata: {"block_number":"3"}\n\nevent: dropped\ndata: {"status":503}\n\n',
    ];
    const {
      url,
      requests,
      close: stop,
    } = await serve((_, __, response) => {
      const text = streams.shift();
      if (text === undefined) return json(response, 410, { error: "Unknown or expired event id" });
      response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
    });
    close = stop;
    const seen: unknown[] = [];
    const following = async () => {
      for await (const { type, id, data } of createIntentryClient({ url }).follow({ intent_id: 7n, name: undefined }))
        seen.push(type === "finalized" ? [type, id, data.block_number] : [type, id]);
    };
    await expect(following()).rejects.toMatchObject({
      status: 410,
      message: "Unknown or expired event id",
    });
    expect(seen).toEqual([
      ["event", "b"],
      ["finalized", "b", "2"],
      ["removed", "c"],
      ["finalized", "c", "3"],
    ]);
    expect(requests.map(({ url, headers }) => [url, headers["last-event-id"]])).toEqual([
      ["/events?intent_id=7", undefined],
      ["/events?intent_id=7", "b"],
      ["/events?intent_id=7", "c"],
    ]);
  });

  it("ends when its signal is aborted", async () => {
    const { url, close: stop } = await serve((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("id: a\ndata: {}\n\n");
    });
    close = stop;
    const over = new AbortController();
    for await (const _ of createIntentryClient({ url }).follow({}, { signal: over.signal })) over.abort();
  });
});

describe("a lost event stream", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  it("is reported before each reconnection, with its reason, and the delay starts again after a message", async () => {
    const stream =
      (text: string): Handler =>
      (_, __, response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
    const answers: Handler[] = [
      (_, __, response) => response.destroy(),
      (_, __, response) => json(response, 503, { error: "The service is starting", code: "unavailable" }),
      stream(
        'id: a\ndata: {"event":"one"}\n\nevent: dropped\ndata: {"status":503,"error":"Stopping","code":"unavailable"}\n\n',
      ),
      stream('id: b\ndata: {"event":"two"}\n\n'),
    ];
    const service = await serve((request, body, response) => answers.shift()?.(request, body, response));
    close = service.close;
    const over = new AbortController();
    const lost: Reconnection[] = [];
    const options = { signal: over.signal, onReconnect: (one: Reconnection) => lost.push(one) };
    for await (const { id } of createIntentryClient({ url: service.url }).follow({}, options))
      if (id === "b") over.abort();
    expect(lost.map(({ attempt, error: { code, status } }) => [attempt, code, status])).toEqual([
      [1, "no_response", undefined],
      [2, "unavailable", 503],
      [1, "unavailable", 503],
    ]);
    expect(lost.map(({ error }) => error.message).slice(1)).toEqual(["The service is starting", "Stopping"]);
  });

  it("ends with the error that onReconnect throws", async () => {
    const service = await serve((_, __, response) => response.destroy());
    close = service.close;
    const onReconnect = ({ attempt }: Reconnection) => {
      if (attempt === 2) throw new Error("enough");
    };
    const following = async () => {
      for await (const _ of createIntentryClient({ url: service.url }).follow({}, { onReconnect }));
    };
    await expect(following()).rejects.toThrow("enough");
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    [1, undefined, 250],
    [2, undefined, 500],
    [7, undefined, 16_000],
    [8, undefined, 30_000],
    [1_000, undefined, 30_000],
    [3, 7, 7_000],
  ])(
    "waits before attempt %i with Retry-After %s for %i ms and up to a fifth more",
    (attempt, retryAfter, expected) => {
      expect(reconnectDelay(attempt, retryAfter, 0)).toBe(expected);
      expect(reconnectDelay(attempt, retryAfter, 1)).toBe(retryAfter === undefined ? expected * 1.2 : expected);
    },
  );
});

it("a delay that is too long for a timer does not end at once", async () => {
  const over = new AbortController();
  const long = wait(2 ** 31, over.signal).catch(() => "aborted");
  expect(await Promise.race([long, wait(20).then(() => "still waiting")])).toBe("still waiting");
  over.abort();
  expect(await long).toBe("aborted");
});

describe("waitForIntent", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());
  const clientOf = async (handler: Handler) => {
    const service = await serve(handler);
    close = service.close;
    return createIntentryClient({ url: service.url, retries: 0 });
  };

  it("times out with the intent's id and last status", async () => {
    const intentry = await clientOf((_, __, response) =>
      json(response, 200, [{ result: { data: { intent_id: "7", status: "OPEN" } } }]),
    );
    const waiting = intentry.waitForIntent(7n, { timeoutMs: 1_000, pollMs: 10 });
    await expect(waiting).rejects.toMatchObject({
      name: "IntentTimeout",
      code: "intent_timeout",
      intentId: "7",
      lastStatus: "OPEN",
      message: "Intent 7 is still OPEN after 1000 ms, not FILLED",
    });
    await expect(waiting).rejects.toBeInstanceOf(IntentryError);
  });

  it("leaves no listeners on a signal that lives longer", async () => {
    let polls = 0;
    const intentry = await clientOf((_, __, response) => {
      const status = ++polls < 15 ? "OPEN" : "FILLED";
      json(response, 200, [{ result: { data: { intent_id: "7", status } } }]);
    });
    const { signal } = new AbortController();
    let most = 0;
    const count = setInterval(() => {
      most = Math.max(most, getEventListeners(signal, "abort").length);
    }, 1);
    await intentry.waitForIntent(7n, { pollMs: 1, signal });
    clearInterval(count);
    expect(polls).toBe(15);
    expect(most).toBeLessThanOrEqual(2);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("times out while a request is in progress, and says that the intent is not indexed", async () => {
    const intentry = await clientOf(() => {});
    const waiting = intentry.waitForIntent("7", { status: "OPEN", timeoutMs: 50 });
    await expect(waiting).rejects.toMatchObject({
      lastStatus: null,
      message: "Intent 7 is not indexed after 50 ms, not OPEN",
    });
  });

  it("ends with the signal's reason, not with a timeout", async () => {
    const intentry = await clientOf((_, __, response) =>
      json(response, 404, { error: "Intent 7 not found", code: "not_found" }),
    );
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(intentry.waitForIntent(7, { timeoutMs: 1, signal })).rejects.toThrow("enough");
  });
});
