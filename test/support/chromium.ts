import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const run = promisify(execFile);

/** No working Chromium was found. */
class ChromiumUnavailable extends Error {
  override name = "ChromiumUnavailable";
}

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

const advice = "Install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH to its path.";

/** The path of a working Chromium: CHROMIUM_PATH, or the first one on PATH. */
async function findChromium(): Promise<string> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await works(named)) return named;
    throw new ChromiumUnavailable(`CHROMIUM_PATH is ${named}, but running it with --version failed.`);
  }
  const found = await onPath();
  if (!found) throw new ChromiumUnavailable(`No Chromium found. ${advice}`);
  return found;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The path of Chromium. Null if none was found. */
    chromium: string | null;
  }
}

/** Finds Chromium once, before the browser tests. Without one it prints a warning and the tests are skipped. */
export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide("chromium", await findChromium());
  } catch (error) {
    if (!(error instanceof ChromiumUnavailable)) throw error;
    console.warn(`${error.message} Skipping the browser tests.`);
    project.provide("chromium", null);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    console.log(await findChromium());
  } catch (error) {
    console.error(error instanceof ChromiumUnavailable ? error.message : error);
    process.exit(1);
  }
}
