const LEVELS = { info: 30, warn: 40, error: 50 } as const;

/** A line of the log, in the format of the gateway's and Ponder's lines. */
export const jsonLine = (level: keyof typeof LEVELS, msg: string): string =>
  JSON.stringify({ level: LEVELS[level], time: Date.now(), pid: process.pid, msg });

/** A line of a process in that format. A text, such as a message of Node itself, becomes a warning. */
export const toJsonLine = (line: string): string => (line.startsWith("{") ? line : jsonLine("warn", line));
