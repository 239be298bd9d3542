import { rmSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { steadyTime } from "../../config/steady-time";
import { endProcess, runningSince } from "./process";

/** Another process owns the state folder. The message names the process and the environment variable. */
class StateFolderInUse extends Error {
  override name = "StateFolderInUse";

  constructor(folder: string, pid: number) {
    super(`INTENTRY_DIR ${folder} is in use by process ${pid}. Stop it, or set INTENTRY_DIR to another folder.`);
  }
}

export type StateFolder = {
  /** Records a child, so that the next owner ends it if it outlives this process. Not on a full disk. */
  record: (child: { pid: number; ended: Promise<unknown> }) => Promise<void>;
  /** Releases the folder. Also happens when the process exits. */
  release: () => void;
};

type Role = "owner" | "child";
type Mark = { file: string; role: Role; pid: number; started: string };

/** A mark is an empty file with all data in its name, so that it can't be read half written. */
const fileOf = (role: Role, pid: number, started: string) => `${role}-${pid}-${started}`;

async function marksIn(folder: string): Promise<Mark[]> {
  return (await readdir(folder)).flatMap((file) => {
    const [, role, pid, started = ""] = /^(owner|child)-(\d+)-(\d+)$/.exec(file) ?? [];
    return role === "owner" || role === "child" ? [{ file, role, pid: Number(pid), started }] : [];
  });
}

const isRunning = async ({ pid, started }: Mark) => (await runningSince(pid)) === started;

/** How long the process with the lower pid waits for a concurrent claim to be withdrawn. */
const WITHDRAW_MS = 1_000;

/**
 * Makes this process the only owner of the state folder, or throws {@link StateFolderInUse}. Ignores marks of dead
 * processes, and ends the children that they left.
 *
 * Each process writes its mark before it checks for others, so of two concurrent processes at least one sees the other.
 * The one with the higher pid withdraws.
 */
export async function ownStateFolder(folder: string): Promise<StateFolder> {
  const marks = join(folder, "processes");
  await mkdir(marks, { recursive: true });
  const own = fileOf("owner", process.pid, (await runningSince(process.pid)) ?? "0");
  const remove = (file: string) => rmSync(join(marks, file), { force: true });
  await writeFile(join(marks, own), "");
  const release = () => remove(own);
  try {
    await waitForOthers(folder, marks, own);
    const left = (await marksIn(marks)).filter(({ file }) => file !== own);
    await Promise.all(
      left.map(async (mark) => {
        // Without a start time, the pid may belong to an unrelated process.
        if (mark.role === "child" && mark.started !== "0" && (await isRunning(mark))) await endProcess(mark.pid);
        remove(mark.file);
      }),
    );
  } catch (error) {
    release();
    throw error;
  }
  process.once("exit", release);
  return {
    release,
    async record({ pid, ended }) {
      const started = await runningSince(pid);
      if (started === undefined) return;
      const file = fileOf("child", pid, started);
      await writeFile(join(marks, file), "").catch(() => {});
      void ended.then(() => remove(file));
    },
  };
}

async function waitForOthers(folder: string, marks: string, own: string): Promise<void> {
  const deadline = steadyTime() + WITHDRAW_MS;
  for (;;) {
    const owners = (await marksIn(marks)).filter(({ file, role }) => role === "owner" && file !== own);
    const running: Mark[] = [];
    for (const mark of owners) if (await isRunning(mark)) running.push(mark);
    const [other] = running;
    if (!other) return;
    if (other.pid < process.pid || steadyTime() > deadline) throw new StateFolderInUse(folder, other.pid);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
