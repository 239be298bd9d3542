import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** The files by which a test process asks the main process for something that several test files share. */
export type RequestPaths = {
  /** Exists once the request was made. */
  request: string;
  /** The answer as JSON. It exists once the start has succeeded or failed. */
  answer: string;
};

type Answer<Content> = { content: Content } | { error: string };

/** Calls `act` once the file exists. Returns a function that stops waiting. */
function onceWritten(file: string, act: () => void): () => void {
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== basename(file)) return;
    watcher.close();
    act();
  });
  return () => watcher.close();
}

/** Starts something when the first test file asks for it. For the main process of vitest. */
export async function startOnRequest<Content>(
  start: (folder: string) => Promise<{ content: Content; stop: () => Promise<void> }>,
): Promise<{ value: RequestPaths; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "intentry-shared-"));
  const paths = { request: join(folder, "request"), answer: join(folder, "answer.json") };
  const reply = async (answer: Answer<Content>) => {
    await writeFile(`${paths.answer}.new`, JSON.stringify(answer));
    await rename(`${paths.answer}.new`, paths.answer);
  };
  let started: Promise<(() => Promise<void>) | undefined> | undefined;
  const stopWaiting = onceWritten(paths.request, () => {
    started = start(folder).then(
      async ({ content, stop }) => {
        await reply({ content });
        return stop;
      },
      async (error: unknown) => {
        await reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
        return undefined;
      },
    );
  });
  return {
    value: paths,
    async stop() {
      stopWaiting();
      await (await started)?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks for something shared, and waits for it. */
export async function ask<Content>({ request, answer }: RequestPaths, timeoutMs: number): Promise<Content> {
  writeFileSync(request, "");
  const deadline = Date.now() + timeoutMs;
  while (!existsSync(answer)) {
    if (Date.now() > deadline) throw new Error(`Nothing was started within ${timeoutMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const reply = JSON.parse(readFileSync(answer, "utf8")) as Answer<Content>;
  if ("error" in reply) throw new Error(`The start failed: ${reply.error}`);
  return reply.content;
}
