import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../config/environment";
import { jsonLine, toJsonLine } from "../roles/json-lines";
import { type Child, ChildEnded } from "./child";
import { keepRunning } from "./keep-running";
import { openLogFile } from "./log-file";
import { type Progress, progressBar, progressText, watchProgress } from "./progress";
import { ownStateFolder, type StateFolder } from "./state-folder";
import { createStepLog, timed } from "./step-log";
import { restartNotice, type Supervision } from "./supervision";
import { createTerminal } from "./terminal";

/** The interval at which the progress is read, and at which it is printed unless there is a terminal. */
export const PROGRESS_MS = 1_000;
const PROGRESS_LINE_MS = 10_000;

type Stoppable = { stop: () => Promise<void> };

/** The process that an operator starts and stops, and what it prints. */
export type Supervisor = ReturnType<typeof createSupervisor>;

/**
 * Whether the supervisor's own lines are JSON like those of its children: unless a person reads them, on a terminal or on the
 * built-in chain.
 */
const isJsonLog = ({ NETWORK, CHAIN_ID }: NodeJS.ProcessEnv) =>
  !process.stdout.isTTY && (NETWORK || (CHAIN_ID ? "custom" : "local")) !== "local";

/** Creates the supervisor of this process. It stops on SIGINT, SIGTERM and SIGHUP. */
export function createSupervisor() {
  /** In start order. Stopped in reverse. */
  const parts: Stoppable[] = [];
  let state: StateFolder | undefined;
  let stopping = false;
  const terminal = createTerminal(process.stdout);
  const isJson = isJsonLog(process.env);
  const log = createStepLog(isJson ? (text) => terminal.print(jsonLine("info", text)) : timed(terminal.print));
  const printError = (text: string) => console.error(isJson ? jsonLine("error", text) : text);

  async function stopAll(code: number): Promise<never> {
    if (!stopping) {
      stopping = true;
      log.end();
      terminal.setStatus("");
      for (const part of parts.reverse()) await part.stop();
      process.exit(code);
    }
    return new Promise(() => {});
  }
  // Output to a file on a full disk, or to a closed pipe. An error without a listener would end the process.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stopAll(0));

  /** Prints an error and stops with an exit code. */
  function fail(error: unknown, code = 1): Promise<never> {
    if (!stopping) printError(error instanceof Error ? error.message : String(error));
    return stopAll(code);
  }

  /**
   * On the local chain, writes the log to a file and prints only errors: Ponder's warnings, such as a late block, matter only
   * on public chains. On other chains, prints every line.
   */
  async function logLines({ stateFolder, networkName }: Environment): Promise<(line: string) => void> {
    if (networkName !== "local") return isJson ? (line) => terminal.print(toJsonLine(line)) : terminal.print;
    await mkdir(stateFolder, { recursive: true });
    const write = openLogFile(join(stateFolder, "ponder.log"));
    return (line) => {
      write(line);
      const isError = /^\{"level":[56]0/.test(line);
      if (!stopping && (isError || !line.startsWith("{"))) terminal.print(line);
    };
  }

  return {
    log,
    print: terminal.print,
    printError,
    stopAll,
    fail,
    /** Makes this process the only owner of a state folder. */
    async own(stateFolder: string): Promise<void> {
      state = await ownStateFolder(stateFolder);
    },
    /** Stops the part with everything else. */
    add: (part: Stoppable) => void parts.push(part),
    /** Stops everything when the child ends. */
    require(child: Child): void {
      parts.push(child);
      void state?.record(child);
      void child.ended.then((code) => {
        if (!stopping) void fail(new ChildEnded(child, code));
      });
    },
    /** Starts the child again when it ends. Stops everything if that fails several times in a row. */
    async keep(first: Child, startAgain: () => Promise<Child>): Promise<void> {
      let start = async () => first;
      const kept = await keepRunning({
        async start() {
          const child = await start();
          start = startAgain;
          void state?.record(child);
          return child;
        },
        onRestart: (error, delayMs) => stopping || printError(restartNotice(error, delayMs)),
        onGivenUp: (error) => void fail(error),
        isFinal: () => false,
      });
      parts.push(kept);
    },
    /**
     * Runs a part that can be started again. Stopping waits until it has started: an indexer that is killed while it starts
     * keeps its lock.
     */
    run<Part extends Stoppable>(start: () => Promise<Part>) {
      let starting = start();
      parts.push({ stop: async () => (await starting.catch(() => undefined))?.stop() });
      return {
        current: () => starting,
        restart(): Promise<Part> {
          starting = start();
          return starting;
        },
      };
    },
    /** The options of supervised processes. */
    async supervision(environment: Environment, databaseUrl: string, env: NodeJS.ProcessEnv): Promise<Supervision> {
      return {
        environment,
        databaseUrl,
        env: { ...env, DATABASE_URL: databaseUrl },
        onStarted: (child) => void state?.record(child),
        onLine: await logLines(environment),
        onNotice: printError,
        onGivenUp: (error) => void fail(error),
      };
    },
    /** Shows the progress of the backfill until the index has caught up. */
    showBackfill({ networkName }: Environment, read: () => Promise<Progress | undefined>): void {
      let printedAt = Date.now();
      const stop = watchProgress({
        read,
        intervalMs: PROGRESS_MS,
        onProgress(progress, eventsPerSecond) {
          const text = progressText(progress, eventsPerSecond);
          terminal.setStatus(`${progressBar(progress.progress)} ${text}`);
          if (process.stdout.isTTY || Date.now() - printedAt < PROGRESS_LINE_MS) return;
          printedAt = Date.now();
          log.done(`Indexing ${networkName}: ${text}`);
        },
        onReady() {
          terminal.setStatus("");
          log.done("The index has caught up");
        },
      });
      parts.push({ stop: async () => stop() });
    },
  };
}
