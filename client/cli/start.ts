import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Failure } from "./failure";

/** The root of the repository, when this runs in a checkout of it. */
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs everything, or one role, until it ends, and returns its exit code. */
export const start = (role: "start" | "indexer" | "api") =>
  runScript("start", role === "start" ? [] : ["--role", role]);

/** Rebuilds the index, and returns the exit code. */
export const reindex = (newChain: boolean) => runScript("run-reindex", newChain ? ["--new-chain"] : []);

/** Checks the configured installation, and returns the exit code. */
export const doctor = (json: boolean) => runScript("run-doctor", json ? ["--json"] : []);

async function runScript(name: string, args: readonly string[] = []): Promise<number> {
  const run = fileURLToPath(new URL("../../stack/run.js", import.meta.url));
  if (!existsSync(run))
    throw new Failure(
      "This command needs the contracts and the indexer, which this package doesn't contain. Run it in a checkout of the repository.",
      "failed",
    );
  const child = spawn(process.execPath, [run, `stack/${name}`, ...args], { cwd: root, stdio: "inherit" });
  // Ctrl-C reaches the stack directly. This process ignores it, so that it can return the stack's exit code.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}
