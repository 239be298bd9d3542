import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Failure } from "./failure";

/** The root of the repository, when this runs in a checkout of it. */
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the local stack until it ends, and gives its exit code. */
export const start = () => runScript("start");

/** Rebuilds the index, and gives the exit code. */
export const reindex = (newChain: boolean) => runScript("run-reindex", newChain ? ["--new-chain"] : []);

async function runScript(name: string, args: readonly string[] = []): Promise<number> {
  const run = fileURLToPath(new URL("../../stack/run.js", import.meta.url));
  if (!existsSync(run))
    throw new Failure(
      "The local stack has its contracts and its indexer in the repository, and this package has neither: run npm start in a checkout of it.",
    );
  const child = spawn(process.execPath, [run, `stack/${name}`, ...args], { cwd: root, stdio: "inherit" });
  // A terminal's Ctrl-C reaches the stack by itself; this process is to outlive it and to report its end.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}
