import { spawn } from "node:child_process";
import { join } from "node:path";

/** The CLI's entry point in the repository. */
export const cliFile = join(import.meta.dirname, "..", "..", "stack", "cli.js");

type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs the CLI with only this environment and this input. */
export function cli(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ""): Promise<Ran> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [cliFile, ...args], { env: { PATH, HOME, ...env } });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      output[name] += chunk;
    });
  child.stdin.end(input);
  return new Promise((done) => child.once("close", (code) => done({ code, ...output })));
}
