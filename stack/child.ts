import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

type StopSignal = "SIGTERM" | "SIGINT" | "SIGKILL";

export type Child = {
  name: string;
  /** Resolves once the process has ended, with its exit code (null when a signal ended it). */
  ended: Promise<number | null>;
  /** The last lines it printed, for the error message when it ends unexpectedly. */
  lastLines: () => string[];
  /** Sends the signal (by default the child's own stop signal), and SIGKILL if it still runs after its grace period. */
  stop: (signal?: StopSignal) => Promise<void>;
  pid: number;
};

type SupervisionOptions = {
  name: string;
  /** What ends it in an orderly way. */
  stopSignal?: StopSignal;
  /** How long it may take to end before it is killed. */
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

/** Tells the watchdog about a child. It ends the registered processes if this one is killed before it can. */
function notifyWatchdog(line: string): void {
  if (!watchdog) {
    const script = fileURLToPath(new URL("watchdog.js", import.meta.url));
    watchdog = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    watchdog.once("exit", () => {
      watchdog = undefined;
    });
    // A watchdog that was killed is replaced with the next child.
    watchdog.stdin?.on("error", () => {});
    watchdog.unref();
    (watchdog.stdin as Socket | null)?.unref();
  }
  watchdog.stdin?.write(`${line}\n`);
}

/** Reads a process's output line by line, and makes sure that it never outlives this process. */
export function supervise(
  child: ChildProcess,
  { name, stopSignal = "SIGTERM", graceMs = DEFAULT_GRACE_MS, onLine }: SupervisionOptions,
): Child {
  children.add(child);
  if (child.pid !== undefined) notifyWatchdog(`+${child.pid} ${stopSignal}`);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        onLine?.(line);
      });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
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
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exit;
      clearTimeout(timer);
    },
  };
}

/**
 * Starts a program under supervision. It gets its own process group, so that Ctrl-C reaches only this process, which
 * then stops its children in order.
 */
export function startChild({ name, stopSignal, graceMs, onLine, command, args, ...options }: Options): Child {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  return supervise(child, { name, stopSignal, graceMs, onLine });
}

/** Lines of a JSON log below the level of a warning say nothing about why a process ended. */
const isRoutine = (line: string) => /^\{"level":[1-3]0,/.test(line);

/** A child that should be running has ended. The message contains its last lines of output. */
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
