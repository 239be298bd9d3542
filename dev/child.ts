import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Child = {
  name: string;
  /** Resolves once the process has ended, with its exit code (null when a signal ended it). */
  ended: Promise<number | null>;
  /** The last lines it printed, for the message when it ends unasked. */
  lastLines: () => string[];
  /** Asks it to end, and makes it end when it hasn't after `graceMs`. */
  stop: (graceMs?: number) => Promise<void>;
  pid: number;
};

type Options = {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  onLine?: (line: string) => void;
};

const KEPT_LINES = 40;

const isRunning = (process: ChildProcess) => process.exitCode === null && process.signalCode === null;

/** Starts a program whose output is read line by line and which is never left behind by `stop`. */
export function startChild({ name, command, args, env, cwd, onLine }: Options): Child {
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine?.(line);
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
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
    async stop(graceMs = 3_500) {
      if (!isRunning(child)) return;
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
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
  throw new Error(`${child.name}: no ${what} within ${timeoutMs / 1000} s. Its last lines:\n${child.lastLines().join("\n")}`);
}
