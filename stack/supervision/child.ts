import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../../config/project-root";
import { steadyTime } from "../../config/steady-time";

type StopSignal = "SIGTERM" | "SIGINT" | "SIGQUIT" | "SIGKILL";

export type Child = {
  name: string;
  /** Resolves with the exit code once the process has ended. Null if a signal ended it. */
  ended: Promise<number | null>;
  /** The last lines of its output, for error messages. */
  lastLines: () => string[];
  /** Sends the signal (default: the child's stop signal), its next signal after the grace period, and then SIGKILL. */
  stop: (signal?: StopSignal) => Promise<void>;
  pid: number;
};

type SupervisionOptions = {
  name: string;
  /** The signal for a graceful shutdown. */
  stopSignal?: StopSignal;
  /** The signal if it does not end within the grace period. Default: SIGKILL. */
  nextSignal?: StopSignal;
  /** The time to end after each signal. */
  graceMs?: number;
  onLine?: (line: string) => void;
};

type Options = SupervisionOptions & {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
};

const KEPT_LINES = 40;
const DEFAULT_GRACE_MS = 4_000;

const isRunning = (process: ChildProcess) => process.exitCode === null && process.signalCode === null;

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

let watchdog: ChildProcess | undefined;

/** Sends a line to the watchdog, which ends the children and removes the folders of this process if it is killed. */
function notifyWatchdog(line: string): void {
  if (!watchdog) {
    const script = join(projectRoot, "stack", "supervision", "watchdog.js");
    watchdog = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    watchdog.once("exit", () => {
      watchdog = undefined;
    });
    // The next child starts a new watchdog if this one was killed.
    watchdog.stdin?.on("error", () => {});
    watchdog.unref();
    (watchdog.stdin as Socket | null)?.unref();
  }
  watchdog.stdin?.write(`${line}\n`);
}

/** Ensures that a temporary folder never outlives this process. */
export const removeOnExit = (folder: string): void => notifyWatchdog(`~${folder}`);

/** Reads a process's output line by line, and ensures that it never outlives this process. */
export function supervise(
  child: ChildProcess,
  { name, stopSignal = "SIGTERM", nextSignal = "SIGKILL", graceMs = DEFAULT_GRACE_MS, onLine }: SupervisionOptions,
): Child {
  children.add(child);
  if (child.pid !== undefined) notifyWatchdog(`+${child.pid} ${stopSignal} ${nextSignal}`);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        onLine?.(line);
      });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code, signal) => {
      if (signal) lines.push(`${name} was ended by ${signal}.`);
      children.delete(child);
      notifyWatchdog(`-${child.pid}`);
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
    async stop(signal = stopSignal) {
      if (!isRunning(child)) return;
      const exit = once(child, "exit");
      child.kill(signal);
      const timers = [nextSignal, "SIGKILL" as const].map((next, index) =>
        setTimeout(() => child.kill(next), (index + 1) * graceMs),
      );
      await exit;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Starts a supervised program in its own process group. Ctrl-C then reaches only this process, which stops its children
 * in order.
 */
export function startChild({
  name,
  stopSignal,
  nextSignal,
  graceMs,
  onLine,
  command,
  args,
  ...options
}: Options): Child {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  return supervise(child, { name, stopSignal, nextSignal, graceMs, onLine });
}

/** Whether a line of a JSON log is below the warn level, and so not worth repeating in an error message. */
const isRoutine = (line: string) => /^\{"level":[1-3]0,/.test(line);

/** A child ended unexpectedly. The message contains its last lines of output. */
export class ChildEnded extends Error {
  override name = "ChildEnded";

  constructor({ name, lastLines }: Child, code: number | null) {
    const lines = lastLines().filter((line) => !isRoutine(line));
    super([`${name} ended${code === null ? "" : ` with code ${code}`}:`, ...lines].join("\n"));
  }
}

/** Waits until `condition` returns a value. Throws early when the child ends. */
export async function waitFor<Value>(
  child: Child,
  what: string,
  condition: () => Promise<Value | undefined>,
  timeoutMs = 60_000,
  intervalMs = 50,
): Promise<Value> {
  let code: number | null | undefined;
  void child.ended.then((exitCode) => {
    code = exitCode;
  });
  const deadline = steadyTime() + timeoutMs;
  while (steadyTime() < deadline) {
    if (code !== undefined) throw new ChildEnded(child, code);
    const value = await condition().catch(() => undefined);
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
  throw new Error(
    `${child.name}: no ${what} within ${timeoutMs / 1000} s. Its last lines:\n${child.lastLines().join("\n")}`,
  );
}
