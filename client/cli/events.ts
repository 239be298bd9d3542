import { escapeInvisible } from "../../common/text";
import type { EventFilter } from "../src/api";
import { createIntentryClient, IntentryError, type LiveMessage } from "../src/index";
import type { Service } from "./arguments";
import type { SentEventFilter } from "./event-filters";
import { Failure, unreachable } from "./failure";
import { type Format, isForPeople } from "./output";

/** A message in one line. Undefined for messages that only concern programs. */
function lineOf({ type, data }: LiveMessage): string | undefined {
  if (type === "finalized") return undefined;
  const text = type === "event" ? data.summary : "removed by a reorg";
  return escapeInvisible(`${data.block_number}  ${data.event}  ${text}`);
}

/** Writes a line, and waits if the reader is slow. */
const write = (line: string) =>
  new Promise<void>((done, fail) => {
    process.stdout.write(`${line}\n`, (error) => (error ? fail(error) : done()));
  });

const isClosedPipe = (error: unknown) => error instanceof Error && "code" in error && error.code === "EPIPE";

/**
 * Prints live events until `limit` events were printed, Ctrl-C, or the end of the reader: one line each on a terminal, and
 * one JSON object per line elsewhere.
 */
export async function printEvents(
  { url }: Service,
  filter: SentEventFilter,
  limit: number | undefined,
  format: Format,
): Promise<void> {
  const intentry = createIntentryClient({ url });
  await intentry.protocol().catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  // The callback of write receives the error too.
  process.stdout.on("error", () => stop.abort());
  const lines = isForPeople(format);
  let events = 0;
  try {
    // The service validates the filter.
    for await (const message of intentry.follow(filter as EventFilter, { signal: stop.signal })) {
      const line = lines ? lineOf(message) : JSON.stringify(message);
      if (line !== undefined) await write(line);
      if (message.type === "event") events += 1;
      if (events === limit) break;
    }
  } catch (error) {
    if (error instanceof IntentryError) throw new Failure(error.message, error.code);
    if (!isClosedPipe(error)) throw error;
  }
}
