import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compile, compileIndexer, UnwritableFolder } from "../../../stack/compile.js";

describe("compile", () => {
  let root: string;
  const write = (path: string, content: string) => writeFile(join(root, path), content);
  const run = (file: string) => execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "intentry-compile-")));
    for (const folder of ["node_modules", "lib"]) await mkdir(join(root, folder));
    await write("node_modules/.package-lock.json", "{}");
    await write("lib/word.ts", 'export const word: string = "one";');
    await write("program.ts", 'import { word } from "./lib/word"; console.log(word);');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("bundles a program and its imports into one file", async () => {
    expect(run(await compile("program.ts", root))).toBe("one");
  });

  it("compiles the same sources once", async () => {
    const file = await compile("program.ts", root);
    await writeFile(file, 'console.log("kept");');
    expect(await compile("program.ts", root)).toBe(file);
    expect(run(file)).toBe("kept");
  });

  it("compiles again when the compiled file was deleted", async () => {
    await rm(await compile("program.ts", root));
    expect(run(await compile("program.ts", root))).toBe("one");
  });

  it("compiles again after an edit, and removes the old file", async () => {
    await compile("program.ts", root);
    await write("lib/word.ts", 'export const word = "two";');
    expect(run(await compile("program.ts", root))).toBe("two");
    expect(await readdir(join(root, "dist"))).toHaveLength(2);
  });

  it("compiles again when a source was deleted, and when other packages are installed", async () => {
    const first = await compile("program.ts", root);
    await rm(join(root, "lib", "word.ts"));
    await write("lib/word.js", 'export const word = "three";');
    const second = await compile("program.ts", root);
    expect(run(second)).toBe("three");
    await write("node_modules/.package-lock.json", '{"packages":{}}');
    expect(new Set([first, second, await compile("program.ts", root)]).size).toBe(3);
  });

  it("preserves the location of each module", async () => {
    await write("lib/word.ts", "export const word = [import.meta.dirname, import.meta.url].join();");
    expect(run(await compile("program.ts", root))).toBe(`${root}/lib,file://${root}/lib/word.ts`);
  });

  it("names the file and line of an error, and keeps the last version", async () => {
    const file = await compile("program.ts", root);
    await write("lib/word.ts", "export const word = ;");
    await expect(compile("program.ts", root)).rejects.toThrow(/lib\/word\.ts:1:20/);
    expect(run(file)).toBe("one");
  });

  it.skipIf(process.platform === "win32")("compiles again after an edit that was saved while it compiled", async () => {
    const late = join(root, "lib", "late.ts");
    await write("program.ts", 'import "./lib/late"; import { word } from "./lib/word"; console.log(word);');
    // Reading a named pipe waits until something is written to it.
    execFileSync("mkfifo", [late]);
    const compiling = compile("program.ts", root);
    const pipe = await open(late, "w");
    await setTimeout(200);
    await write("lib/word.ts", 'export const word = "two";');
    await pipe.write("export {};");
    await pipe.close();
    expect(run(await compiling)).toBe("one");
    await rm(late);
    await write("lib/late.ts", "export {};");
    expect(run(await compile("program.ts", root))).toBe("two");
  });

  it("may be called by several processes at once", async () => {
    const files = await Promise.all(Array.from({ length: 4 }, () => compile("program.ts", root)));
    expect(new Set(files).size).toBe(1);
    expect(run(await compile("program.ts", root))).toBe("one");
  });

  it("names the folder that it can't write to", async () => {
    await write("dist", "a file");
    const failed = compile("program.ts", root);
    await expect(failed).rejects.toBeInstanceOf(UnwritableFolder);
    await expect(failed).rejects.toThrow(`Can't write to ${join(root, "dist")}`);
  });

  it.skipIf(process.getuid?.() === 0)("names a folder without write permission", async () => {
    await mkdir(join(root, "dist"));
    await chmod(join(root, "dist"), 0o500);
    await expect(compile("program.ts", root)).rejects.toThrow(`Can't write to ${join(root, "dist")}`);
  });
});

describe("compileIndexer", () => {
  let root: string;
  const write = (path: string, content: string) => writeFile(join(root, path), content);

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "intentry-compile-")));
    await mkdir(join(root, "src"));
    await write("ponder.config.ts", 'const id: number = 1;\nif (id) throw new Error("a bad configuration");\n');
    await write("ponder.schema.ts", "export {};");
    await write("src/index.ts", "export {};");
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it("compiles Ponder's command line with the app, and locates errors in the sources", async () => {
    const program = await compileIndexer(root);
    const args = [program, "start", "--root", root, "--schema", "unused", "--log-format", "json"];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    expect(status).toBe(1);
    // The order of the lines varies.
    const lines = stdout.trim().split("\n");
    const failure = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "Error while executing file");
    expect(failure).toMatchObject({ file: "ponder.config.ts" });
    // The lines of code are colored where FORCE_COLOR or CI is set.
    const stack = stripVTControlCharacters(failure.error.stack);
    expect(stack).toContain(`${join(root, "ponder.config.ts")}:2:`);
    expect(stack).toContain('> 2 | if (id) throw new Error("a bad configuration");');
  });

  it("writes no file next to the sources, whose folder may be read-only", async () => {
    expect(await readFile(await compileIndexer(root), "utf8")).not.toContain('declare module "ponder:schema"');
  });

  it("compiles again when a file is added to src/, although nothing imports it", async () => {
    const before = await compileIndexer(root);
    expect(await compileIndexer(root)).toBe(before);
    await write("src/added.ts", "export {};");
    expect(await compileIndexer(root)).not.toBe(before);
    // The program, its source map and the manifest.
    expect(await readdir(join(root, "dist"))).toHaveLength(3);
  });
});
