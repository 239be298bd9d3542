import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { steadyTime } from "../../config/steady-time";

const run = promisify(execFile);

export const hasProc = existsSync("/proc/self/stat");

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * The start time in `/proc/<pid>/stat`. Undefined for a zombie without other threads: a process whose first thread has ended
 * is a zombie too, and holds its ports until its last thread ends.
 */
export function startTimeIn(stat: string): string | undefined {
  // The second field is the program's name in parentheses. The name may contain spaces and parentheses.
  const [state = "X", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [threads, started] = [Number(fields[16]), fields[18]];
  return /[ZXx]/.test(state) && !(threads > 1) ? undefined : started;
}

/**
 * The start time of a process: ticks since boot on Linux, unix milliseconds elsewhere, "0" if unknown. A pid can be reused;
 * a pid with its start time is unique. Undefined if no such process runs. A zombie does not count as running.
 */
export async function runningSince(pid: number): Promise<string | undefined> {
  if (!(pid > 0) || !exists(pid)) return undefined;
  if (hasProc) return startTimeIn(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
  const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { ...process.env, LC_ALL: "C" },
  }).catch(() => ({ stdout: "" }));
  const started = Date.parse(stdout.trim());
  return String(Number.isNaN(started) ? 0 : started);
}

/** How long to wait after each signal. */
const GRACE_MS = 6_000;

/** Ends a process that is not a child of this one: sends the signals, each after a grace period, until it has ended. */
export async function endProcess(
  pid: number,
  signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGKILL"],
): Promise<void> {
  const started = await runningSince(pid);
  const isRunning = async () => started !== undefined && (await runningSince(pid)) === started;
  for (const signal of signals) {
    if (!(await isRunning())) return;
    process.kill(pid, signal);
    const deadline = steadyTime() + GRACE_MS;
    while ((await isRunning()) && steadyTime() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
