import { execFile } from "node:child_process";
import { mkdtemp, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ChildEnded, removeOnExit, startChild } from "../../stack/supervision/child";

const run = promisify(execFile);
const projectRoot = resolve(import.meta.dirname, "..", "..");

/** The full id of a commit. Throws if the repository has no such commit. */
export async function commitOf(ref: string, repository = projectRoot): Promise<string> {
  const verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { stdout } = await run("git", verify, { cwd: repository }).catch(() => {
    throw new Error(`Unknown commit ${ref}. Fetch it, or use another ref.`);
  });
  return stdout.trim();
}

/** Installs the packages of a checkout. With the same lockfile as this repository's, it uses the packages installed here. */
async function install(root: string, repository: string): Promise<void> {
  const [own, other] = await Promise.all(
    [repository, root].map((at) => readFile(join(at, "package-lock.json"), "utf8")),
  );
  if (own === other) return symlink(join(repository, "node_modules"), join(root, "node_modules"));
  const child = startChild({ name: "npm ci", command: "npm", args: ["ci"], cwd: root });
  const code = await child.ended;
  if (code !== 0) throw new ChildEnded(child, code);
}

/**
 * Extracts a commit to a temporary folder and installs its packages. The folder is removed when this process ends, however
 * it ends. Unlike a worktree, it leaves nothing in the repository.
 */
export async function checkOut(commit: string, repository = projectRoot): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "intentry-commit-"));
  removeOnExit(root);
  const archive = join(root, "commit.tar");
  await run("git", ["archive", "--output", archive, commit], { cwd: repository });
  await run("tar", ["-xf", archive, "-C", root]);
  await install(root, repository);
  return root;
}
