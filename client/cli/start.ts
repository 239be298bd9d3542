import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "./failure";

const RUNNER = join("stack", "run.js");

/** The nearest folder with the programs' runner, if there is one: the root of the repository. */
const rootAbove = (folder: string): string | undefined =>
  existsSync(join(folder, RUNNER)) ? folder : dirname(folder) === folder ? undefined : rootAbove(dirname(folder));

/** Runs everything, or one role, until it ends, and returns its exit code. */
export const start = (role: "start" | "indexer" | "api") => runScript(role);

/** Rebuilds the index, and returns the exit code. */
export const reindex = (newChain: boolean) => runScript("reindex", newChain ? ["--new-chain"] : []);

/** Checks the configured installation, and returns the exit code. */
export const doctor = (json: boolean) => runScript("doctor", json ? ["--json"] : []);

/** The flag of `npm run indexer`. */
const flagsOf = (name: string) => (name === "indexer" ? ["--max-semi-space-size=64"] : []);

async function runScript(name: string, args: readonly string[] = []): Promise<number> {
  const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
  if (root === undefined)
    throw new Failure(
      "This command needs the contracts and the indexer, which this package doesn't contain. Run it in a checkout of the repository.",
      "failed",
    );
  const child = spawn(process.execPath, [...flagsOf(name), join(root, RUNNER), name, ...args], {
    cwd: root,
    stdio: "inherit",
  });
  // Ctrl-C reaches the stack directly. This process ignores it, so that it can return the stack's exit code.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}
