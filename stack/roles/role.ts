import { describeSources, loadEnvFiles } from "../../config/env-files";
import { InvalidEnvironment } from "../../config/environment";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import { jsonLine } from "./json-lines";

/** Prints lines of a role: as JSON like the lines of Ponder and the gateway, unless a person reads them. */
export type RoleLog = Record<"info" | "warn" | "error", (text: string) => void>;

const format = (level: keyof RoleLog, text: string) => (process.stdout.isTTY ? text : jsonLine(level, text));

const log: RoleLog = {
  info: (text) => console.log(format("info", text)),
  warn: (text) => console.log(format("warn", text)),
  error: (text) => console.error(format("error", text)),
};

/** The signals that stop a role. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Prepares a role with the variables of the .env files, and runs what `prepare` returns. systemd, Compose or Kubernetes start
 * the process again when it ends, except after the exit codes that config/exit-codes.ts describes.
 */
export async function runRole(prepare: (log: RoleLog) => Promise<() => Promise<unknown>>): Promise<void> {
  // The first process of a container ignores a signal without a listener.
  const exit = () => process.exit(0);
  for (const signal of SIGNALS) process.on(signal, exit);
  try {
    log.info(describeSources(loadEnvFiles(".", process.env)));
    const run = await prepare(log);
    for (const signal of SIGNALS) process.off(signal, exit);
    // Ponder and the gateway stop on SIGTERM. A closed terminal sends SIGHUP.
    process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
    await run();
  } catch (error) {
    log.error(error instanceof Error ? error.message : String(error));
    process.exit(error instanceof InvalidEnvironment ? CONFIGURATION_ERROR : 1);
  }
}
