import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commitOf } from "../../../bench/reads/checkout";

const run = promisify(execFile);

const dependencies = { lib: "file:lib" };

/** A lockfile with one package, which npm installs without a registry. */
const lockfile = (version: string) => ({
  ...{ name: "app", version, lockfileVersion: 3 },
  packages: {
    "": { name: "app", version, dependencies },
    lib: { version: "1.0.0" },
    "node_modules/lib": { resolved: "lib", link: true },
  },
});

describe("bench reads --against", () => {
  /** A repository with three commits. The last two have the same lockfile. */
  let repository: string;
  /** The temporary folder of the benchmark. */
  let temporary: string;
  const checkouts = async () => (await readdir(temporary)).filter((name) => name.startsWith("intentry-commit-"));
  const git = async (...args: string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    return (await run("git", [...identity, ...args], { cwd: repository })).stdout.trim();
  };
  const commit = async (version: string, word: string) => {
    const files = {
      "package.json": JSON.stringify({ name: "app", version, dependencies }),
      "package-lock.json": JSON.stringify(lockfile(version)),
      ".gitignore": "node_modules\n",
      "lib/package.json": JSON.stringify({ name: "lib", version: "1.0.0" }),
      "word.txt": word,
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(repository, name), content);
    await git("add", "--all");
    await git("commit", "--quiet", "--message", word);
  };

  beforeAll(async () => {
    repository = await realpath(await mkdtemp(join(tmpdir(), "intentry-repository-")));
    temporary = await realpath(await mkdtemp(join(tmpdir(), "intentry-checkouts-")));
    await mkdir(join(repository, "lib"));
    await git("init", "--quiet");
    await commit("1.0.0", "one");
    await commit("2.0.0", "two");
    await commit("2.0.0", "three");
    await run("npm", ["ci"], { cwd: repository });
  });
  afterAll(async () => {
    for (const folder of [repository, temporary]) await rm(folder, { recursive: true, force: true });
  });

  /** Runs `checkOut` in its own process, which prints the folder and stays. */
  async function checkOutIn(commitId: string) {
    const program = `
      const { checkOut } = await import("./bench/reads/checkout.ts");
      console.log(await checkOut(${JSON.stringify(commitId)}, ${JSON.stringify(repository)}));
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [root] = await once(createInterface({ input: child.stdout }), "line");
    return { child, root: String(root) };
  }

  it.each(["SIGINT", "SIGKILL"] as const)(
    "checks out a commit beside the repository, and removes it after %s",
    async (signal) => {
      const { child, root } = await checkOutIn(await commitOf("HEAD~1", repository));
      expect(await readFile(join(root, "word.txt"), "utf8")).toBe("two");
      expect(await realpath(join(root, "node_modules"))).toBe(join(repository, "node_modules"));
      child.kill(signal);
      await expect.poll(checkouts).toEqual([]);
      expect(await readdir(join(repository, "node_modules"))).toContain("lib");
      expect((await git("worktree", "list")).split("\n")).toHaveLength(1);
      expect(await git("status", "--porcelain")).toBe("");
    },
  );

  it("installs the packages of a commit with another lockfile, and removes them at the end", async () => {
    const { child, root } = await checkOutIn(await commitOf("HEAD~2", repository));
    expect(await readFile(join(root, "word.txt"), "utf8")).toBe("one");
    expect((await lstat(join(root, "node_modules"))).isDirectory()).toBe(true);
    expect(await realpath(join(root, "node_modules", "lib"))).toBe(join(root, "lib"));
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    await expect.poll(checkouts).toEqual([]);
  });

  it("names a commit that does not exist, before it starts anything", async () => {
    const bench = run(process.execPath, ["--import", "tsx", "bench/reads.ts", "--against", "no-such-commit"]);
    await expect(bench).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Unknown commit no-such-commit. Fetch it, or use another ref."),
    });
    await expect(bench).rejects.not.toMatchObject({ stderr: expect.stringContaining("Starting") });
  });

  it("takes no ref for an option of git", async () => {
    await expect(commitOf("--all", repository)).rejects.toThrow("Unknown commit --all");
  });
});
