import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyProject, type ProjectCopy } from "../../support/project-copy";

const run = promisify(execFile);

describe("the build", () => {
  let copy: ProjectCopy;
  let version: string;
  const inCopy = (path: string) => join(copy.root, path);
  beforeAll(async () => {
    copy = await copyProject();
    version = JSON.parse(await readFile(inCopy("client/package.json"), "utf8")).version;
  });
  afterAll(() => copy?.remove());

  const cli = async (command: string) => (await run("node", [inCopy("stack/run.js"), "cli", command])).stdout.trim();
  const current = () => readlink(inCopy("dist/current"));
  const edit = async (change: (text: string) => string) => {
    const file = inCopy("client/cli/help.ts");
    const text = await readFile(file, "utf8");
    await writeFile(file, change(text));
    return () => writeFile(file, text);
  };

  it("runs before a program if there is none, and not again while no source is newer", async () => {
    expect(await cli("--version")).toBe(version);
    const first = await current();
    expect(await cli("--version")).toBe(version);
    expect(await current()).toBe(first);
  });

  it("can be read by another user than the one who built", async () => {
    const { mode } = await stat(inCopy(join("dist", await current())));
    expect(mode & 0o055).toBe(0o055);
  });

  it("runs again when a source is newer, and by several processes at once", async () => {
    const first = await current();
    await edit((text) => `${text}\n`);
    const versions = await Promise.all([cli("--version"), cli("--version"), cli("--version")]);
    expect(versions).toEqual([version, version, version]);
    expect(await current()).not.toBe(first);
    expect((await readdir(inCopy("dist"))).filter((name) => name.endsWith(".link"))).toEqual([]);
  });

  it("runs again when packages were installed, a source was deleted, or its output was", async () => {
    const { sources } = JSON.parse(await readFile(inCopy("dist/current/build.json"), "utf8"));
    const manifest = inCopy("dist/current/build.json");
    for (const spoil of [
      () => writeFile(manifest, JSON.stringify({ startedAt: 0, sources: [] })),
      () =>
        writeFile(
          manifest,
          JSON.stringify({ startedAt: Date.now() + 60_000, sources: [...sources, "api/deleted.ts"] }),
        ),
      () => rm(inCopy("dist/current/build.json")),
    ]) {
      const last = await current();
      await spoil();
      expect(await cli("--version")).toBe(version);
      expect(await current()).not.toBe(last);
    }
  });

  it("runs through a link to the checkout", async () => {
    await rm(inCopy("dist"), { recursive: true });
    const link = `${copy.root}-link`;
    await symlink(copy.root, link);
    const printed = await run("node", [join(link, "stack", "run.js"), "cli", "--version"]).finally(() => rm(link));
    expect(printed.stdout.trim()).toBe(version);
  });

  it("keeps the build that it replaces, however old, and removes earlier ones", async () => {
    const [hourAgo, last] = [new Date(Date.now() - 3_600_000), await current()];
    await mkdir(inCopy("dist/build-earlier"));
    await symlink("build-gone", inCopy("dist/build-gone.link"));
    for (const name of [last, "build-earlier"]) await utimes(inCopy(join("dist", name)), hourAgo, hourAgo);
    await edit((text) => `${text}\n`);
    expect(await cli("--version")).toBe(version);
    const kept = await readdir(inCopy("dist"));
    expect(kept).toEqual(expect.arrayContaining([last, await current()]));
    expect(kept).not.toContain("build-earlier");
  });

  it("names the file and line of an error, and keeps the last build", async () => {
    const last = await current();
    const restore = await edit((text) => `const = ;\n${text}`);
    await expect(cli("--version")).rejects.toThrow(/client\/cli\/help\.ts:1:6/);
    expect(await current()).toBe(last);
    expect((await run("node", [inCopy("dist/current/cli.js"), "--version"])).stdout.trim()).toBe(version);
    await restore();
    expect(await cli("--version")).toBe(version);
  });

  it.skipIf(process.getuid?.() === 0)("names the folder that it can't write to", async () => {
    await edit((text) => `${text}\n`);
    await chmod(inCopy("dist"), 0o555);
    await expect(cli("--version")).rejects.toThrow(`could not be built in ${inCopy("dist")}`);
    await chmod(inCopy("dist"), 0o755);
  });
});
