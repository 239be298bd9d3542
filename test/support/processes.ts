import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import { promisify } from "node:util";

type Process = { pid: number; parent: number; command: string };

async function list(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** All direct and indirect child processes. */
export async function descendantsOf(pid: number): Promise<Process[]> {
  const all = await list();
  const below = (parent: number): Process[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Whether a process is running. Zombies don't count. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await list()).some((process) => process.pid === pid && !process.command.includes("<defunct>"));
}

/** Kills a process and all its children at once, as when the machine loses power. */
export async function killTree(pid: number): Promise<void> {
  const pids = [pid, ...(await descendantsOf(pid)).map((child) => child.pid)];
  for (const one of pids) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** PATH and HOME as in a new shell: without the programs of this project, which npm and npx add. */
export function loginEnvironment(): NodeJS.ProcessEnv {
  const { PATH = "", HOME } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return { PATH: folders.join(delimiter), HOME };
}
