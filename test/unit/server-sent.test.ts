import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServerSent, serverSent } from "../../client/src/server-sent";

const streamOf = (chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

async function read(...chunks: Uint8Array[]): Promise<ServerSent[]> {
  const messages: ServerSent[] = [];
  for await (const message of serverSent(streamOf(chunks))) messages.push(message);
  return messages;
}

const bytes = (text: string) => new TextEncoder().encode(text);

const word = fc.string({ unit: fc.constantFrom(..."abcé🤖:{} "), minLength: 1 }).map((text) => `x${text}`);
const sent = fc.array(fc.record({ type: word, id: fc.option(word, { nil: undefined }), data: word }));

const written = (messages: readonly ServerSent[]) =>
  messages
    .map(({ type, id, data }) => `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`)
    .join("");

describe("a stream of Server-Sent Events", () => {
  it("is read the same wherever it is cut", async () => {
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

  it("may have comments, times to come back, lines that end in two characters and data on several lines", async () => {
    const text = ": still here\n\nretry: 1000\n\nevent: event\r\ndata: a\r\ndata: b\r\n\r\n";
    expect(await read(bytes(text))).toEqual([{ type: "event", id: undefined, data: "a\nb" }]);
  });

  it("ends without what is not finished", async () => {
    expect(await read(bytes("data: whole\n\ndata: half"))).toEqual([{ type: "message", id: undefined, data: "whole" }]);
  });
});
