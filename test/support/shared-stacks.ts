import { appendFileSync, watch } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { publishExamples } from "../../stack/sample/published";
import { oncePerRun } from "./once-per-run";
import { type Stack, type StackOptions, startStackOn } from "./stack-on";

/**
 * The shared stacks. All have the sample activity and the published examples. One test file at a time writes to those that
 * are written to.
 */
const stacks = {
  /** Nobody writes to it. */
  sample: {},
  /** For transactions and payments. The resolver of metadata is the test's own. */
  writes: { tokens: true, env: { RESOLVE_METADATA: "false" } },
  /** For reorgs, and for tests that move the chain's time, by days. */
  time: { env: { EVENT_HEARTBEAT_MS: "200" } },
} satisfies Record<string, StackOptions>;

export type SharedStackName = keyof typeof stacks;

/** The file that describes a shared stack. */
export type SharedStackFile =
  | (Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl" | "contracts"> & { rpcUrl: string; logFile: string })
  | { error: string };

type Paths = {
  /** The path of the file that describes the stack. It exists once the stack is ready or has failed to start. */
  file: string;
  /** The path of the file that a test file writes to start the stack. */
  requestFile: string;
};

declare module "vitest" {
  interface ProvidedContext {
    sharedStacks: Record<SharedStackName, Paths>;
  }
}

/** Writes a file atomically. */
async function writeAtomically(path: string, content: SharedStackFile): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(content));
  await rename(`${path}.new`, path);
}

/** Calls `act` once the file exists. Returns a function that stops waiting. */
function onceWritten(file: string, act: () => void): () => void {
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== basename(file)) return;
    watcher.close();
    act();
  });
  return () => watcher.close();
}

/** Starts a stack when the first test file asks for it. */
async function startOnRequest(databaseServer: string, options: StackOptions) {
  const folder = await mkdtemp(join(tmpdir(), "intentry-shared-"));
  const [file, requestFile, logFile] = ["stack.json", "request", "log"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(logFile, "");
  const onLine = (line: string) => appendFileSync(logFile, `${line}\n`);
  const start = async () => {
    const stack = await startStackOn(databaseServer, { ...options, sample: true, onLine });
    const { apiUrl, ponderUrl, databaseUrl, contracts, chain } = stack;
    await publishExamples(apiUrl, undefined);
    await writeAtomically(file, { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl: chain.rpcUrl, logFile });
    return stack;
  };
  let starting: Promise<Stack | undefined> | undefined;
  const stopWaiting = onceWritten(requestFile, () => {
    starting = start().catch(async (error: unknown) => {
      await writeAtomically(file, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return undefined;
    });
  });
  return {
    value: { file, requestFile },
    async stop() {
      stopWaiting();
      await (await starting)?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Prepares the shared stacks of the run. A stack that no file asks for is not started. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseServer = project.getProvidedContext().databaseServer;
  const names = Object.keys(stacks) as SharedStackName[];
  const prepared = names.map((name) => ({
    name,
    ...oncePerRun(`stack ${name}`, () => startOnRequest(databaseServer, stacks[name])),
  }));
  const paths = await Promise.all(prepared.map(async ({ name, started }) => [name, await started] as const));
  project.provide("sharedStacks", Object.fromEntries(paths) as Record<SharedStackName, Paths>);
  return async () => {
    await Promise.all(prepared.map(({ release }) => release()));
  };
}
