import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";

/** Reads Server-Sent Events. A message that a lost connection left incomplete is discarded. */
export async function* serverSent(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
