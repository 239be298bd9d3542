import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeSources, loadEnvFiles } from "../config/env-files";
import { parseEnvironment } from "../config/environment";
import { backUp, backUpTo, backupName } from "./backup/back-up";
import { tablesReport } from "./backup/report";
import { withDatabase } from "./with-database";

// pg-copy-streams uses the deprecated Buffer(). Operators can't do anything about that warning.
Object.assign(process, { noDeprecation: true });

/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;

/** A folder gets a file with the default name. */
const fileOf = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, backupName(new Date())) : path;

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [path = "."] = positionals;
  // Standard output is for the backup, if it is written there.
  const print = path === "-" ? console.error : console.log;
  print(describeSources(loadEnvFiles(".", process.env)));
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const file = path === "-" ? "standard output" : fileOf(path);
  const { tables, bytes } = await withDatabase(
    parseEnvironment(process.env),
    (url) => (path === "-" ? backUpTo(url, process.stdout, interrupted.signal) : backUp(url, file, interrupted.signal)),
    { besides: true },
  );
  print(tablesReport(tables));
  print(`Backed up to ${file} (${bytes.toLocaleString("en-US")} bytes compressed).`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const isInterrupted = error.name === "AbortError";
  console.error(isInterrupted ? "Interrupted. No backup was written." : error.message);
  process.exitCode = isInterrupted ? INTERRUPTED : 1;
}
