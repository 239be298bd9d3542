import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { endProcess, hasProc, runningSince } from "../../supervision/process";

const run = promisify(execFile);

/**
 * How a server is stopped: a fast shutdown, and if that takes too long an immediate one, in which PostgreSQL kills its
 * processes that do not react within 5 s. One that outlived a killed server would prevent the next start.
 */
export const STOP_SIGNALS = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;

/** Whether the process is a server of this data folder, judged by its working directory or its command line. */
async function serves(pid: number, data: string): Promise<boolean> {
  if (hasProc) {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return folder === (await realpath(data));
  }
  const { stdout } = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.includes(data);
}

/**
 * Stops a server that outlived its supervisor, and removes the `postmaster.pid` of a killed one. PostgreSQL refuses to
 * start if any process has the pid in that file. In containers, pids are soon reused.
 */
export async function removeOldPostmaster(data: string): Promise<void> {
  const file = join(data, "postmaster.pid");
  const pid = Number.parseInt(await readFile(file, "utf8").catch(() => ""), 10);
  if (!(pid > 0) || process.platform === "win32") return;
  if ((await runningSince(pid)) && (await serves(pid, data))) await endProcess(pid, STOP_SIGNALS);
  await rm(file, { force: true });
}
