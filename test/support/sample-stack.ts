import { appendFileSync, watch } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { publishExamples } from "../../stack/sample/published";
import { oncePerRun } from "./once-per-run";
import type { SampleStackFile } from "./shared-stack";
import { type Stack, startStackOn } from "./stack-on";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the file that describes the shared stack. It exists once the stack is ready or has failed to start. */
    sampleStackFile: string;
    /** The path of the file that a test file writes to start the shared stack. */
    sampleStackRequest: string;
  }
}

/** Writes a file atomically. */
async function writeAtomically(path: string, content: SampleStackFile): Promise<void> {
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

/**
 * Starts one stack with the sample activity and the published examples, for all test files that only read the chain, when
 * the first of them asks for it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseServer = project.getProvidedContext().databaseServer;
  const { started, release } = oncePerRun("sample stack", async () => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-sample-"));
    const file = join(folder, "stack.json");
    const requestFile = join(folder, "request");
    const logFile = join(folder, "log");
    await writeFile(logFile, "");
    const onLine = (line: string) => appendFileSync(logFile, `${line}\n`);
    const startStack = async () => {
      const stack = await startStackOn(databaseServer, { sample: true, onLine });
      const { apiUrl, ponderUrl, databaseUrl, contracts, chain } = stack;
      await publishExamples(apiUrl, undefined);
      await writeAtomically(file, { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl: chain.rpcUrl, logFile });
      return stack;
    };
    let starting: Promise<Stack | undefined> | undefined;
    const stopWaiting = onceWritten(requestFile, () => {
      starting = startStack().catch(async (error: unknown) => {
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
  });
  const { file, requestFile } = await started;
  project.provide("sampleStackFile", file);
  project.provide("sampleStackRequest", requestFile);
  return release;
}
