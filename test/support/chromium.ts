import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { onRequest, type RequestPaths } from "./once-per-run";

const run = promisify(execFile);

const isRoot = process.getuid?.() === 0;

/** Chromium's sandbox doesn't run as root, and /dev/shm is small in containers. */
export const chromiumArguments = [...(isRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"];

/** The executable names in Linux distributions and in Google's packages. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Whether it runs. Ubuntu's `chromium-browser` is a script that only prints a hint about snap, and fails. */
const works = (path: string) =>
  run(path, ["--version", ...chromiumArguments], { timeout: 60_000 }).then(
    () => true,
    () => false,
  );

async function onPath(): Promise<string | undefined> {
  for (const name of NAMES)
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const candidate = resolve(folder, name);
      const exists = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder && exists && (await works(candidate))) return candidate;
    }
  return undefined;
}

/** The path of a working Chromium: CHROMIUM_PATH, or the first one on PATH. Undefined if there is none. */
export async function findChromium(): Promise<string | undefined> {
  const named = process.env.CHROMIUM_PATH;
  if (named && !(await works(named)))
    throw new Error(`CHROMIUM_PATH is ${named}, but running it with --version failed.`);
  return named || onPath();
}

declare module "vitest" {
  interface ProvidedContext {
    /** By which a file asks for the address of Chromium. Null if none was found. */
    chromium: RequestPaths | null;
  }
}

/** Starts one Chromium for all browser tests when the first one asks for it. Without one they are skipped. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = await findChromium();
  const { started, release } = onRequest("chromium", async () => {
    const { chromium } = await import("playwright-core");
    const server = await chromium.launchServer({ executablePath, args: chromiumArguments });
    return { content: server.wsEndpoint(), stop: () => server.close() };
  });
  project.provide("chromium", executablePath ? await started : null);
  return release;
}
