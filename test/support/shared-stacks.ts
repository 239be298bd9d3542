import { appendFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { publishExamples } from "../../stack/local/sample/published";
import { onRequest, type RequestPaths } from "./once-per-run";
import { type Stack, type StackOptions, startStackOn } from "./stack-on";

/**
 * The shared stacks. All have the sample activity and the published examples. One test file at a time writes to those that
 * are written to.
 */
const stacks = {
  /** Nobody writes to it. */
  sample: { tokens: true },
  /** For transactions and payments. The resolver of metadata is the test's own. */
  writes: { tokens: true, env: { RESOLVE_METADATA: "false" } },
  /** For reorgs, and for tests that move the chain's time, by days. */
  time: { tokens: true },
} satisfies Record<string, StackOptions>;

export type SharedStackName = keyof typeof stacks;

/** What a test file needs to use a shared stack. */
export type SharedStackContent = Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl" | "contracts"> & {
  rpcUrl: string;
  logFile: string;
};

declare module "vitest" {
  interface ProvidedContext {
    sharedStacks: Record<SharedStackName, RequestPaths>;
  }
}

const stackOnRequest = (databaseServer: string, name: SharedStackName) =>
  onRequest<SharedStackContent>(`stack ${name}`, async (folder) => {
    const logFile = join(folder, "log");
    await writeFile(logFile, "");
    const onLine = (line: string) => appendFileSync(logFile, `${line}\n`);
    const stack = await startStackOn(databaseServer, { ...stacks[name], sample: true, onLine });
    const { apiUrl, ponderUrl, databaseUrl, contracts, chain, stop } = stack;
    await publishExamples(apiUrl, undefined);
    return { content: { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl: chain.rpcUrl, logFile }, stop };
  });

/** Prepares the shared stacks of the run. A stack that no file asks for is not started. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databaseServer = project.getProvidedContext().databaseServer;
  const names = Object.keys(stacks) as SharedStackName[];
  const prepared = names.map((name) => ({ name, ...stackOnRequest(databaseServer, name) }));
  const paths = await Promise.all(prepared.map(async ({ name, started }) => [name, await started] as const));
  project.provide("sharedStacks", Object.fromEntries(paths) as Record<SharedStackName, RequestPaths>);
  return async () => {
    await Promise.all(prepared.map(({ release }) => release()));
  };
}
