import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

type Started<Value> = { value: Value; stop: () => Promise<void> };
type Entry = { started: Promise<Started<unknown>>; users: number };

/** Each vitest project evaluates this module again, so the state is global instead of a module variable. */
const KEY = Symbol.for("intentry.once-per-run");
const holder = globalThis as { [KEY]?: Map<string, Entry> };

/**
 * Starts a resource once for all vitest projects of a run. `release` stops it when the last project has released it.
 * `started` rejects if the start fails.
 */
export function oncePerRun<Value>(
  name: string,
  start: () => Promise<Started<Value>>,
): { started: Promise<Value>; release: () => Promise<void> } {
  holder[KEY] ??= new Map();
  const entries = holder[KEY];
  const entry = entries.get(name) ?? { started: start(), users: 0 };
  entries.set(name, entry);
  entry.started.catch(() => {});
  entry.users += 1;
  return {
    started: (entry.started as Promise<Started<Value>>).then(({ value }) => value),
    async release() {
      entry.users -= 1;
      if (entry.users > 0) return;
      entries.delete(name);
      const running = await entry.started.catch(() => undefined);
      await running?.stop();
    },
  };
}

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
async function startOnRequest<Content>(
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

/** Starts a resource once for all vitest projects of a run, when the first test file asks for it with {@link ask}. */
export const onRequest = <Content>(
  name: string,
  start: Parameters<typeof startOnRequest<Content>>[0],
): ReturnType<typeof oncePerRun<RequestPaths>> => oncePerRun(name, () => startOnRequest(start));

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
