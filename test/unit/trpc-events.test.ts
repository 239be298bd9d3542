import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { EventFeed } from "../../api/events/feed";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { serverSent } from "../../client/src/server-sent";
import { ChainOfEvents } from "./chain-of-events";

/** The tRPC error codes after which its clients reconnect, without a limit. */
const RECONNECT_CODES = [-32_603, -32_502, -32_503, -32_504];

describe("the live events over tRPC", () => {
  const ended: (() => void)[] = [];
  afterEach(() => {
    for (const end of ended.splice(0)) end();
  });

  const ask = async (input: unknown, heartbeatMs = 60_000) => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const feed = new EventFeed(chain.options());
    ended.push(() => feed.close());
    const config = { writeTokens: [], eventHeartbeatMs: heartbeatMs };
    const gateway = createGateway({ config, events: feed } as unknown as Context, pino({ level: "silent" }));
    const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    const { body } = await gateway.request(`/trpc/events.subscribe${query}`);
    if (!body) throw new Error("The response has no body");
    return body;
  };

  /** The error at the end of a stream. */
  const errorOf = async (input: unknown) => {
    for await (const { event, data } of serverSent(await ask(input)))
      if (event === "serialized-error") return JSON.parse(data);
      else if (event === undefined) return "a message";
  };

  it("end without reconnecting at an unknown event id", async () => {
    const error = await errorOf({ lastEventId: `${"9".repeat(12)}-${"9".repeat(6)}-${"f".repeat(16)}` });
    expect(error).toMatchObject({
      message: expect.stringContaining("Unknown or expired event id"),
      data: { code: "NOT_FOUND", httpStatus: 404 },
    });
    expect(RECONNECT_CODES).not.toContain(error.code);
  });

  it.each([["hello"], [5], [[1]], [true]])("reject an input that is not an object: %j", async (input) => {
    expect(await errorOf(input)).toMatchObject({ data: { code: "BAD_REQUEST", httpStatus: 400 } });
  });

  it.each([[undefined], [null], [{}]])("need no input: %j", async (input) => {
    expect(await errorOf(input)).toBe("a message");
  });

  it("send pings while idle", async () => {
    const reader = (await ask({}, 20)).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (text.split("event: ping\n").length < 4) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
    await reader.cancel();
    expect(text.match(/^event: ping$/gm)).toHaveLength(3);
  });
});
