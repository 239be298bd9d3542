import { type DestinationStream, pino } from "pino";

const FLUSH_MS = 100;
const BATCH_CHARACTERS = 16_000;

/**
 * Standard output for a log, written in batches: ten times per second, when there is much to write, and at the end of the
 * process. One write per line, or one string that is encoded per line, would cost as much as a cached response.
 */
export function batchedOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false });
  let lines = "";
  const flush = () => {
    if (lines !== "") output.write(lines);
    lines = "";
  };
  setInterval(flush, FLUSH_MS).unref();
  process.on("exit", () => {
    flush();
    output.flushSync();
  });
  return {
    write(line) {
      lines += line;
      if (lines.length > BATCH_CHARACTERS) flush();
    },
  };
}
