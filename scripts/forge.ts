import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findFoundry } from "../stack/local/foundry.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs forge with foundry.toml and this process's standard streams, and returns its exit code.
 *
 * @example
 * const code = await forge(["test", "--match-contract", "IntentBookFillTest"]);
 */
export async function forge(args: readonly string[]): Promise<number> {
  const binary = await findFoundry("forge");
  const child = spawn(binary, args, { cwd: root, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // The code is null if a signal ended forge.
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    process.exitCode = await forge(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
