import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders of system programs, which are not on the PATH of every user. */
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

/** The path of an installed program. Without it prints that the checks are skipped, and returns undefined. */
export function findProgram(name: string, checks = "the checks of deploy/ that need it"): string | undefined {
  for (const folder of FOLDERS.filter(Boolean)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  console.warn(`${name} is not installed. Skipping ${checks}.`);
  return undefined;
}

/** Runs a program to its end, for at most two minutes. */
export function run(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 120_000, ...options });
  return { status, stdout, output: `${stdout}${stderr}` };
}

export type RunningProgram = { output: () => string; stop: () => Promise<void> };

/** Starts a program. `stop` ends it, by force after 3 s. */
export function startProgram(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): RunningProgram {
  const child: ChildProcess = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => lines.push(data.toString()));
  const ended = once(child, "exit");
  return {
    output: () => lines.join(""),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
