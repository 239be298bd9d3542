import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Child = {
  name: string;
  /** Resolves once the process has ended, with its exit code (null when a signal ended it). */
  ended: Promise<number | null>;
  /** The last lines it printed, for the message when it ends unasked. */
  lastLines: () => string[];
  /** Asks it to end, and makes it end when it hasn't after {@link GRACE_MS}. */
  stop: (signal?: "SIGTERM" | "SIGINT" | "SIGKILL") => Promise<void>;
  pid: number;
};

type Options = {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  onLine?: (line: string) => void;
};

const KEPT_LINES = 40;

/** The whole stack has 5 s to end; this leaves time for the rest of it. */
const GRACE_MS = 4_000;

const isRunning = (process: ChildProcess) => process.exitCode === null && process.signalCode === null;

const children = new Set<ChildProcess>();
// However this process ends, short of a kill -9, what it started ends with it.
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/**
 * Starts a program whose output is read line by line and which is never left behind by `stop`. It gets a process group
 * of its own, so that Ctrl-C reaches this process alone, which then ends the others in order.
 */
export function startChild({ name, command, args, onLine, ...options }: Options): Child {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine?.(line);
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
      children.delete(child);
      resolve(code);
    });
    child.once("error", (error) => {
      lines.push(error.message);
      resolve(1);
    });
  });
  return {
    name,
    ended,
    lastLines: () => [...lines],
    pid: child.pid ?? -1,
    async stop(signal = "SIGTERM") {
      if (!isRunning(child)) return;
      const exit = once(child, "exit");
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
      await exit;
      clearTimeout(timer);
    },
  };
}

/** A child that should be running has ended; the message holds its last words. */
export class ChildEnded extends Error {
  override name = "ChildEnded";

  constructor({ name, lastLines }: Child, code: number | null) {
    super(`${name} ended${code === null ? "" : ` with code ${code}`}:\n${lastLines().join("\n")}`);
  }
}

/** Waits until `condition` answers something, and fails early when the child ends instead. */
export async function waitFor<Value>(
  child: Child,
  what: string,
  condition: () => Promise<Value | undefined>,
  timeoutMs = 60_000,
): Promise<Value> {
  let code: number | null | undefined;
  void child.ended.then((exitCode) => {
    code = exitCode;
  });
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (code !== undefined) throw new ChildEnded(child, code);
    const value = await condition().catch(() => undefined);
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(
    `${child.name}: no ${what} within ${timeoutMs / 1000} s. Its last lines:\n${child.lastLines().join("\n")}`,
  );
}
