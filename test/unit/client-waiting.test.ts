import { getEventListeners } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { reconnectDelay } from "../../client/src/follow";
import { createIntentryClient, IntentryError, type Reconnection } from "../../client/src/index";
import { wait } from "../../client/src/wait";
import { fastTime } from "./fast-time";
import { type Handler, json, serve as start } from "./stand-in";

fastTime();

const services: { close: () => void }[] = [];
afterAll(() => {
  for (const service of services) service.close();
});

const serve = async (handler: Handler) => {
  const service = await start(handler);
  services.push(service);
  return service;
};

// Most tests wait.

describe.concurrent("follow", () => {
  it("resumes after the last message when the connection is lost, and throws the error of a rejected request", async ({
    expect,
  }) => {
    const streams = [
      'id: a\nevent: ready\ndata: {"id":"a","finalized_block_number":"1"}\n\nid: b\ndata: {"event":"one"}\n\n: heartbeat\n\nid: c\ndata: {"eve',
      'id: b\nevent: ready\ndata: {"id":"b","finalized_block_number":"2"}\n\nid: c\nevent: removed\ndata: {"event":"one"}\n\nevent: finalized\ndata: {"block_number":"3"}\n\nevent: dropped\ndata: {"status":503}\n\n',
    ];
    const { url, requests } = await serve((_, __, response) => {
      const text = streams.shift();
      if (text === undefined) return json(response, 410, { error: "Unknown or expired event id" });
      response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
    });
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
    const { url } = await serve((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("id: a\ndata: {}\n\n");
    });
    const over = new AbortController();
    for await (const _ of createIntentryClient({ url }).follow({}, { signal: over.signal })) over.abort();
  });
});

describe.concurrent("a lost event stream", () => {
  it("is reported before each reconnection, with its reason, and the delay starts again after a message", async ({
    expect,
  }) => {
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

  it("ends with the error that onReconnect throws", async ({ expect }) => {
    const service = await serve((_, __, response) => response.destroy());
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

describe.concurrent("waitForIntent", () => {
  type Stream = { send: (message: string) => void; end: () => void };

  /** A service with one intent. Its streams start at once; `streams` are the open ones. */
  const serviceOf = async (read: () => { status: string; deadline?: string } | null, withStreams = true) => {
    const streams: Stream[] = [];
    const service = await serve((request, _, response) => {
      if (!request.url?.startsWith("/events")) {
        const found = read();
        if (!found) return json(response, 404, { error: "Intent 7 not found", code: "not_found" });
        const data = { intent_id: "7", deadline: "4000000000", ...found };
        return json(response, 200, [{ result: { data } }]);
      }
      if (!withStreams) return json(response, 404, { error: "No route GET /events", code: "unknown_route" });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('id: a\nevent: ready\ndata: {"id":"a","finalized_block_number":"1"}\n\n');
      streams.push({ send: (message) => response.write(message), end: () => response.destroy() });
    });
    const reads = () => service.requests.filter(({ url }) => url.startsWith("/trpc")).length;
    return { ...service, streams, reads, intentry: createIntentryClient({ url: service.url, retries: 0 }) };
  };

  const event = (id: string, name: string) => `id: ${id}\ndata: {"event":"${name}","args":{"intentId":"7"}}\n\n`;

  it("returns at an event, and does not poll before it", async ({ expect }) => {
    let status = "OPEN";
    const { intentry, requests, streams, reads } = await serviceOf(() => ({ status }));
    const waiting = intentry.waitForIntent(7n);
    // The first read, and the one after the stream has started.
    await expect.poll(reads).toBe(2);
    expect(requests.find(({ url }) => url.startsWith("/events"))?.url).toBe("/events?intent_id=7");
    status = "FILLED";
    streams[0]?.send(event("b", "IntentFilled"));
    expect(await waiting).toMatchObject({ intent_id: "7", status: "FILLED" });
    expect(reads()).toBe(3);
  });

  it("sees a change between its first read and the start of the stream, which has no event for it", async ({
    expect,
  }) => {
    const statuses = ["OPEN", "FILLED"];
    const { intentry, reads } = await serviceOf(() => ({ status: statuses.shift() ?? "FILLED" }));
    expect(await intentry.waitForIntent(7n)).toMatchObject({ status: "FILLED" });
    expect(reads()).toBe(2);
  });

  it("needs no stream if the intent has the status", async ({ expect }) => {
    const { intentry, requests } = await serviceOf(() => ({ status: "FILLED" }));
    await intentry.waitForIntent(7n);
    expect(requests).toHaveLength(1);
  });

  it("reads again after a lost connection, and until the answer is not older than an event", async ({ expect }) => {
    let status: string | null = null;
    const { intentry, streams, reads } = await serviceOf(() => (status ? { status } : null));
    const waiting = intentry.waitForIntent(7n);
    await expect.poll(() => streams.length).toBe(1);
    status = "OPEN";
    streams[0]?.end();
    await expect.poll(() => streams.length).toBe(2);
    // A replica may answer with the state before the event.
    const before = reads();
    streams[1]?.send(event("c", "IntentFilled"));
    await expect.poll(() => reads() - before).toBeGreaterThan(2);
    status = "FILLED";
    expect(await waiting).toMatchObject({ status: "FILLED" });
  });

  it("ends when the deadline passes, which has no event", async ({ expect }) => {
    const deadline = String(Math.floor(Date.now() / 1000) + 1);
    const { intentry } = await serviceOf(() => ({
      status: Date.now() > Number(deadline) * 1000 ? "EXPIRED" : "OPEN",
      deadline,
    }));
    await expect(intentry.waitForIntent(7n)).rejects.toThrow("Intent 7 is EXPIRED, and can no longer be FILLED");
  });

  it("works without streams", async ({ expect }) => {
    const statuses = ["OPEN", "OPEN", "FILLED"];
    const { intentry } = await serviceOf(() => ({ status: statuses.shift() ?? "FILLED" }), false);
    expect(await intentry.waitForIntent(7n)).toMatchObject({ status: "FILLED" });
  });

  it("times out with the intent's id and last status", async ({ expect }) => {
    const { intentry } = await serviceOf(() => ({ status: "OPEN" }));
    const waiting = intentry.waitForIntent(7n, { timeoutMs: 2_000 });
    await expect(waiting).rejects.toMatchObject({
      name: "IntentTimeout",
      code: "intent_timeout",
      intentId: "7",
      lastStatus: "OPEN",
      message: "Intent 7 is still OPEN after 2000 ms, not FILLED",
    });
    await expect(waiting).rejects.toBeInstanceOf(IntentryError);
  });

  it("leaves no listeners on a signal that lives longer", async ({ expect }) => {
    let status = "OPEN";
    const { intentry, streams } = await serviceOf(() => ({ status }));
    const { signal } = new AbortController();
    const waiting = intentry.waitForIntent(7n, { signal });
    await expect.poll(() => streams.length).toBe(1);
    for (let id = 0; id < 15; id++) streams[0]?.send(event(`b${id}`, "SolverBidSubmitted"));
    expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(2);
    status = "FILLED";
    streams[0]?.send(event("c", "IntentFilled"));
    await waiting;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("times out while a request is in progress, and says that the intent is not indexed", async ({ expect }) => {
    const service = await serve(() => {});
    const intentry = createIntentryClient({ url: service.url, retries: 0 });
    const waiting = intentry.waitForIntent("7", { status: "OPEN", timeoutMs: 50 });
    await expect(waiting).rejects.toMatchObject({
      lastStatus: null,
      message: "Intent 7 is not indexed after 50 ms, not OPEN",
    });
  });

  it("ends with the signal's reason, not with a timeout", async ({ expect }) => {
    const { intentry } = await serviceOf(() => null);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(intentry.waitForIntent(7, { timeoutMs: 1, signal })).rejects.toThrow("enough");
  });
});
