import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { EventFeed } from "../../api/events/feed";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { serverSent } from "../../client/src/server-sent";
import { ChainOfEvents } from "./chain-of-events";

/** tRPC's numbers of the errors after which its own clients connect again, for ever. */
const CONNECTED_AGAIN = [-32_603, -32_502, -32_503, -32_504];

describe("the live events over tRPC", () => {
  const ended: (() => void)[] = [];
  afterEach(() => {
    for (const end of ended.splice(0)) end();
  });

  const ask = async (input: unknown, heartbeatMs = 60_000) => {
    const chain = new ChainOfEvents();
    chain.mine(1);
    chain.index();
    const feed = new EventFeed(chain.parts());
    ended.push(() => feed.close());
    const services = { config: { writeTokens: [] } } as unknown as Context;
    const gateway = createGateway(services, pino({ level: "silent" }), { feed, heartbeatMs });
    const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    const { body } = await gateway.request(`/trpc/events.subscribe${query}`);
    if (!body) throw new Error("There is no stream");
    return body;
  };

  /** The error that a stream ends with. */
  const errorOf = async (input: unknown) => {
    for await (const { type, data } of serverSent(await ask(input)))
      if (type === "serialized-error") return JSON.parse(data);
      else if (type === "message") return "a message";
  };

  it("end for good at a position of which nothing is known", async () => {
    const error = await errorOf({ lastEventId: `${"9".repeat(12)}-${"9".repeat(6)}-${"f".repeat(16)}` });
    expect(error).toMatchObject({
      message: expect.stringContaining("Nothing is known of this position any more"),
      data: { code: "NOT_FOUND", httpStatus: 404 },
    });
    expect(CONNECTED_AGAIN).not.toContain(error.code);
  });

  it.each([["hello"], [5], [[1]], [true]])("are refused to an input that is no object: %j", async (input) => {
    expect(await errorOf(input)).toMatchObject({ data: { code: "BAD_REQUEST", httpStatus: 400 } });
  });

  it.each([[undefined], [null], [{}]])("need no input: %j", async (input) => {
    expect(await errorOf(input)).toBe("a message");
  });

  it("show that they are alive while nothing happens", async () => {
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
