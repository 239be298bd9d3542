import { appendFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { publishExamples } from "../../stack/sample/published";
import type { SampleStackFile } from "../integration/sample-stack";
import { startStackOn } from "../integration/stack-on";
import { oncePerRun } from "./once-per-run";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the file that describes the shared stack. It exists once the stack is ready or has failed to start. */
    sampleStackFile: string;
  }
}

/** Writes a file atomically. */
async function writeAtomically(path: string, content: SampleStackFile): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(content));
  await rename(`${path}.new`, path);
}

/**
 * Starts one stack with the sample activity and the published examples, for all test files that only read the chain.
 * Other files run while it starts.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseServer = project.getProvidedContext().databaseServer;
  const { started, release } = oncePerRun("sample stack", async () => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-sample-"));
    const file = join(folder, "stack.json");
    const logFile = join(folder, "log");
    await writeFile(logFile, "");
    const onLine = (line: string) => appendFileSync(logFile, `${line}\n`);
    const starting = startStackOn(databaseServer, { sample: true, onLine }).then(async (stack) => {
      const { apiUrl, ponderUrl, databaseUrl, contracts, chain } = stack;
      await publishExamples(apiUrl, undefined);
      await writeAtomically(file, { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl: chain.rpcUrl, logFile });
      return stack;
    });
    const reported = starting.catch(async (error: unknown) => {
      await writeAtomically(file, { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return undefined;
    });
    return {
      value: file,
      async stop() {
        await (await reported)?.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  });
  project.provide("sampleStackFile", await started);
  return release;
}
