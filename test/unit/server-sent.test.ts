import type { EventSourceMessage } from "eventsource-parser/stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serverSent } from "../../client/src/server-sent";

const streamOf = (chunks: readonly Uint8Array<ArrayBuffer>[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

async function read(...chunks: Uint8Array<ArrayBuffer>[]): Promise<EventSourceMessage[]> {
  const messages: EventSourceMessage[] = [];
  for await (const message of serverSent(streamOf(chunks))) messages.push(message);
  return messages;
}

const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));

const word = fc.string({ unit: fc.constantFrom(..."abcé🤖:{} "), minLength: 1 }).map((text) => `x${text}`);
const sent = fc.array(
  fc.record({ event: fc.option(word, { nil: undefined }), id: fc.option(word, { nil: undefined }), data: word }),
);

const written = (messages: readonly EventSourceMessage[]) =>
  messages
    .map(({ event, id, data }) => {
      const fields = Object.entries({ id, event, data }).filter(([, value]) => value !== undefined);
      return `${fields.map(([name, value]) => `${name}: ${value}\n`).join("")}\n`;
    })
    .join("");

describe("a stream of Server-Sent Events", () => {
  it("parses the same for any chunk boundaries", async () => {
    await fc.assert(
      fc.asyncProperty(sent, fc.integer({ min: 1, max: 20 }), async (messages, size) => {
        const whole = bytes(written(messages));
        const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, place) =>
          whole.slice(place * size, (place + 1) * size),
        );
        expect(await read(...chunks)).toEqual(messages);
      }),
    );
  });

  it("may have comments, retry fields, CRLF line endings and data on several lines", async () => {
    const text = ": heartbeat\n\nretry: 1000\n\nevent: ready\r\ndata: a\r\ndata: b\r\n\r\n";
    expect(await read(bytes(text))).toEqual([{ event: "ready", id: undefined, data: "a\nb" }]);
  });

  it("ends without an incomplete message", async () => {
    expect(await read(bytes("data: whole\n\ndata: half"))).toEqual([
      { event: undefined, id: undefined, data: "whole" },
    ]);
  });
});
