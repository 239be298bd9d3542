import { createWriteStream, type WriteStream } from "node:fs";

/** How long lines are dropped after a failed write, for example on a full disk. */
const RETRY_MS = 1_000;

/**
 * Writes lines to a new file. A write that fails, for example because the disk is full, never ends the process: lines are
 * dropped until a write succeeds again, and then the file says how many.
 */
export function openLogFile(path: string, retryMs = RETRY_MS): (line: string) => void {
  let file: WriteStream | undefined;
  let dropped = 0;
  let pausedUntil = 0;

  function open(flags: "w" | "a"): WriteStream {
    const opened = createWriteStream(path, { flags });
    opened.on("error", () => {
      if (file === opened) file = undefined;
      pausedUntil = Date.now() + retryMs;
    });
    return opened;
  }

  file = open("w");
  return (line) => {
    if (!file && Date.now() >= pausedUntil) file = open("a");
    if (!file) {
      dropped++;
      return;
    }
    // The last line before a failure may be incomplete.
    const notice = dropped > 0 ? `\n${dropped} lines are missing: the file could not be written.\n` : "";
    const lost = dropped + 1;
    dropped = 0;
    file.write(`${notice}${line}\n`, (error) => {
      if (error) dropped += lost;
    });
  };
}
