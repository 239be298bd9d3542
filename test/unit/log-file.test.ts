import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLogFile } from "../../stack/supervision/log-file";

describe("a log file", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-log-"));
    path = join(folder, "ponder.log");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const text = () => readFile(path, "utf8").catch(() => "");

  it("has the lines in order", async () => {
    const write = openLogFile(path);
    for (const line of ["one", "two", "three"]) write(line);
    await expect.poll(text).toBe("one\ntwo\nthree\n");
  });

  it("is bounded: a full file becomes the previous one, and no line of the two is lost", async () => {
    const write = openLogFile(path, { maxBytes: 100 });
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    for (const line of lines) {
      write(line);
      await expect.poll(text, { interval: 1 }).toContain(`${line}\n`);
    }
    const previous = await readFile(`${path}.1`, "utf8");
    expect(previous.length).toBeLessThan(120);
    expect((await text()).length).toBeLessThan(120);
    const kept = `${previous}${await text()}`.trimEnd().split("\n");
    expect(kept).toEqual(lines.slice(-kept.length));
    expect(kept.length).toBeGreaterThan(10);
  });

  it.skipIf(process.platform !== "linux")(
    "survives a full disk, and says how many lines are missing once there is space",
    async () => {
      // Every write to this device fails with ENOSPC.
      await symlink("/dev/full", path);
      const write = openLogFile(path, { retryMs: 0 });
      for (let line = 0; line < 5; line++) {
        write(`lost ${line}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await rm(path);
      await expect
        .poll(async () => {
          write("kept");
          return text();
        })
        .toContain("kept\n");
      const [, first = "", missing] = (await text()).split("\n");
      expect(first).toMatch(/^\d+ lines are missing: the file could not be written\.$/);
      expect(Number.parseInt(first, 10)).toBeGreaterThanOrEqual(5);
      expect(missing).toBe("kept");
    },
  );

  it("survives a folder that does not exist", async () => {
    const write = openLogFile(join(folder, "missing", "ponder.log"), { retryMs: 0 });
    for (let line = 0; line < 5; line++) {
      write("lost");
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
