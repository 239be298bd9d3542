import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasProc, runningSince, startTimeIn } from "../../stack/supervision/process";
import { ownStateFolder, type StateFolder } from "../../stack/supervision/state-folder";
import { fastTime } from "./fast-time";

fastTime();

describe("the owner of a state folder", () => {
  let folder: string;
  let other: ChildProcess;
  let state: StateFolder | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-state-"));
    await mkdir(join(folder, "processes"));
    other = spawn("sleep", ["600"]);
  });
  afterEach(async () => {
    state?.release();
    other.kill();
    await rm(folder, { recursive: true });
  });

  const mark = (file: string) => writeFile(join(folder, "processes", file), "");
  const marks = () => readdir(join(folder, "processes"));
  const isRunning = () => other.exitCode === null && other.signalCode === null;
  const own = async () => {
    state = await ownStateFolder(folder);
    return state;
  };

  it("throws while another process owns it, and keeps that process's owner file", async () => {
    const file = `owner-${other.pid}-${await runningSince(other.pid ?? 0)}`;
    await mark(file);
    await expect(own()).rejects.toThrow(
      `INTENTRY_DIR ${folder} is in use by process ${other.pid}. Stop it, or set INTENTRY_DIR to another folder.`,
    );
    expect(await marks()).toEqual([file]);
  });

  it("takes over from a process that no longer runs", async () => {
    const file = `owner-${other.pid}-${await runningSince(other.pid ?? 0)}`;
    await mark(file);
    other.kill("SIGKILL");
    await once(other, "exit");
    await own();
    expect(await marks()).toEqual([`owner-${process.pid}-${await runningSince(process.pid)}`]);
    state?.release();
    expect(await marks()).toEqual([]);
  });

  it.runIf(hasProc)("takes over if the process id was reused by another process", async () => {
    await mark(`owner-${other.pid}-1`);
    await mark(`owner-${process.pid}-1`);
    await mark(`child-${other.pid}-1`);
    await own();
    expect(await marks()).toEqual([`owner-${process.pid}-${await runningSince(process.pid)}`]);
    expect(isRunning()).toBe(true);
  });

  it("ends the children that the previous owner left running", async () => {
    await mark(`child-${other.pid}-${await runningSince(other.pid ?? 0)}`);
    const ended = once(other, "exit");
    await own();
    expect(await ended).toEqual([null, "SIGINT"]);
  });

  it("records its children while they run", async () => {
    const { record } = await own();
    const ended = once(other, "exit");
    await record({ pid: other.pid ?? 0, ended });
    const file = `child-${other.pid}-${await runningSince(other.pid ?? 0)}`;
    expect(await marks()).toContain(file);
    other.kill();
    await ended;
    await expect.poll(marks).not.toContain(file);
  });
});

describe("the start time of a process in /proc", () => {
  const stat = (state: string, threads: number) =>
    `42 (a) b (c) ${state} 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 ${threads} 0 98765 1 1`;

  it.each([
    ["runs", "S", 3, "98765"],
    ["has ended, and only its parent has not noticed", "Z", 1, undefined],
    ["has ended in its first thread, while another one holds its ports", "Z", 2, "98765"],
    ["does not exist", "X", 0, undefined],
  ])("of one that %s", (_, state, threads, started) => expect(startTimeIn(stat(state, threads))).toBe(started));

  it("of a file that can't be read", () => expect(startTimeIn("")).toBeUndefined());
});
