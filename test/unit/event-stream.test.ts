import type { Logger } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EventFeed } from "../../api/events/feed";
import { droppedStreams } from "../../api/telemetry/metrics";
import { streamBody } from "../../api/transports/sse/stream";
import { ChainOfEvents } from "./chain-of-events";

const text = ({ value }: { value?: Uint8Array | undefined }) => Buffer.from(value ?? []).toString();

/** The event stream of one client. */
async function streamOf(chain: ChainOfEvents, heartbeatMs = 10_000, keptMessages = 1_000) {
  const feed = new EventFeed({ ...chain.options(), limits: { messages: keptMessages, bytes: 1_000_000 } });
  const ended = new AbortController();
  const faults: unknown[] = [];
  const reset = vi.fn();
  const stream = await feed.subscribe({ filter: {} }, "test", ended.signal);
  const body = streamBody(stream, {
    heartbeatMs,
    end: () => ended.abort(),
    reset,
    log: { error: ({ err }: { err: unknown }) => faults.push(err) } as unknown as Logger,
  });
  return { feed, ended, faults, reset, reader: body.getReader() };
}

const droppedCount = async () => (await droppedStreams.get()).values[0]?.value ?? 0;

afterEach(() => {
  vi.useRealTimers();
});

describe("a stream of events on the wire", () => {
  it("starts with retry and ready, then sends protocol events with the default message type", async () => {
    const chain = new ChainOfEvents();
    const { feed, reader } = await streamOf(chain);
    expect(text(await reader.read())).toBe("retry: 1000\n\n");
    expect(text(await reader.read())).toMatch(/^id: 0{12}-0{6}-0{16}\nevent: ready\ndata: \{.*\}\n\n$/);
    const next = reader.read();
    chain.mine(1);
    chain.index();
    expect(text(await next)).toMatch(
      /^id: 000000000001-000000-0000000000000001\ndata: \{"id":"000000000001-000000-0000000000000001",.*\}\n\n$/,
    );
    feed.close();
    expect(text(await reader.read())).toBe(
      'event: dropped\ndata: {"status":503,"error":"The service is stopping. Reconnect with the last event id","code":"unavailable"}\n\n',
    );
    expect((await reader.read()).done).toBe(true);
  });

  it("sends heartbeats while idle, without losing an event", async () => {
    const chain = new ChainOfEvents();
    const { feed, reader } = await streamOf(chain, 20);
    await reader.read();
    await reader.read();
    for (let beat = 0; beat < 3; beat++) expect(text(await reader.read())).toBe(": heartbeat\n\n");
    chain.mine(2);
    chain.index();
    let written = "";
    while (!written.includes("IntentCancelled")) written = text(await reader.read());
    expect(written.match(/^id: /gm)).toHaveLength(2);
    feed.close();
  });

  it("ends with dropped and the reason, for a client that is too slow", async () => {
    const chain = new ChainOfEvents();
    const { feed, ended, faults, reader } = await streamOf(chain, 10_000, 4);
    await reader.read();
    await reader.read();
    const first = reader.read();
    chain.mine(1);
    chain.index();
    await first;
    for (let block = 0; block < 20; block++) {
      chain.mine(1);
      chain.index();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(text(await reader.read())).toBe(
      'event: dropped\ndata: {"status":503,"error":"The subscriber is too slow and was dropped. Reconnect with the last event id","code":"unavailable"}\n\n',
    );
    expect((await reader.read()).done).toBe(true);
    expect(faults).toEqual([]);
    expect(ended.signal.aborted).toBe(false);
    feed.close();
  });

  it("is aborted with its connection, and counted as dropped, if the client leaves data unread for a minute", async () => {
    const { feed, ended, faults, reset, reader } = await streamOf(new ChainOfEvents());
    const before = await droppedCount();
    await reader.read();
    vi.useFakeTimers();
    await reader.read();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(ended.signal.aborted).toBe(false);
    expect(reset).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended.signal.aborted).toBe(true);
    expect(reset).toHaveBeenCalledOnce();
    expect((await droppedCount()) - before).toBe(1);
    expect(faults).toEqual([]);
    feed.close();
  });

  it("ends the subscription when the client disconnects", async () => {
    const chain = new ChainOfEvents();
    const { feed, ended, faults, reader } = await streamOf(chain);
    await reader.read();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    expect(ended.signal.aborted).toBe(true);
    expect(faults).toEqual([]);
    feed.close();
  });
});
