import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findFoundry } from "../stack/foundry.js";

const contracts = fileURLToPath(new URL("../contracts", import.meta.url));
const solc = fileURLToPath(new URL("./solc.cjs", import.meta.url));
const openzeppelin = fileURLToPath(new URL("../node_modules/@openzeppelin/", import.meta.url));

/**
 * Runs forge on contracts/, offline with the compiler from npm. It shares this process's standard streams. Returns its exit
 * code.
 *
 * @example
 * const code = await forge(["test", "--match-contract", "IntentBookFillTest"]);
 */
export async function forge(args: readonly string[]): Promise<number> {
  const binary = await findFoundry("forge");
  const child = spawn(binary, args, {
    cwd: contracts,
    stdio: "inherit",
    env: {
      ...process.env,
      FOUNDRY_SOLC: solc,
      // An absolute path, because the compiler receives sources by name and can't resolve names with "../".
      FOUNDRY_REMAPPINGS: `@openzeppelin/=${openzeppelin}`,
    },
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // The exit code is null if a signal killed forge.
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
