import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runningSince } from "../../supervision/process";
import { DATABASE, PASSWORD_FILE, urlOf } from "./cluster";

/** The line of `postmaster.pid` with the port. */
const PORT_LINE = 3;

/** The URL of the embedded PostgreSQL while a stack of this state folder runs it. Undefined if it does not run. */
export async function runningDatabaseUrl(stateFolder: string): Promise<string | undefined> {
  const data = join(stateFolder, "postgres");
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const port = Number(lines[PORT_LINE]);
  if (!(port > 0) || (await runningSince(Number(lines[0]))) === undefined) return undefined;
  return urlOf(await readFile(join(data, PASSWORD_FILE), "utf8"), port, DATABASE);
}
