import { createWriteStream, renameSync, type WriteStream } from "node:fs";

/** How long lines are dropped after a failed write, for example on a full disk. */
const RETRY_MS = 1_000;

/** The size at which the file becomes `<path>.1`, which replaces the previous one. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Writes lines to a new file. A write that fails, for example because the disk is full, never ends the process: lines are
 * dropped until a write succeeds again, and then the file says how many. The file and the one before have a limited size.
 */
export function openLogFile(path: string, { retryMs = RETRY_MS, maxBytes = MAX_BYTES } = {}): (line: string) => void {
  let file: WriteStream | undefined;
  let written = 0;
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

  /** The open stream still writes its last lines to the renamed file. */
  function rotate(): void {
    try {
      renameSync(path, `${path}.1`);
    } catch {
      // Not opened yet, or deleted.
      return;
    }
    file?.end();
    file = open("w");
    written = 0;
  }

  file = open("w");
  return (line) => {
    if (!file && Date.now() >= pausedUntil) file = open("a");
    if (written > maxBytes) rotate();
    if (!file) {
      dropped++;
      return;
    }
    // The last line before a failure may be incomplete.
    const notice = dropped > 0 ? `\n${dropped} lines are missing: the file could not be written.\n` : "";
    const lost = dropped + 1;
    dropped = 0;
    const text = `${notice}${line}\n`;
    written += text.length;
    file.write(text, (error) => {
      if (error) dropped += lost;
    });
  };
}
