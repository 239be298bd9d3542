import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function rootAbove(folder: string): string {
  if (existsSync(join(folder, "ponder.config.ts"))) return folder;
  if (dirname(folder) === folder) throw new Error("The programs must run in a checkout of the project");
  return rootAbove(dirname(folder));
}

/** The folder of the checkout, for the sources and for the programs in dist/. */
export const projectRoot = rootAbove(dirname(fileURLToPath(import.meta.url)));
