import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const run = promisify(execFile);

/** No working Chromium was found; the message is the sentence a person needs. */
class ChromiumUnavailable extends Error {
  override name = "ChromiumUnavailable";
}

const isRoot = process.getuid?.() === 0;

/** What Chromium must be started with here: its sandbox refuses root, and a container's /dev/shm is small. */
export const chromiumArguments = [...(isRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"];

/** The names under which distributions and Google install it. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Whether it can be executed here. Ubuntu's `chromium-browser` is a script that only says to use snap, and fails. */
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

/** The path of a working Chromium: the one that CHROMIUM_PATH names, or one on PATH. */
async function findChromium(): Promise<string> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await works(named)) return named;
    throw new ChromiumUnavailable(`CHROMIUM_PATH names ${named}, which does not answer --version.`);
  }
  const found = await onPath();
  if (!found) throw new ChromiumUnavailable(`There is no Chromium here. ${advice}`);
  return found;
}

declare module "vitest" {
  interface ProvidedContext {
    /** The path of Chromium; null without one. */
    chromium: string | null;
  }
}

/** Looks for Chromium once, before the browser tests, and says when they are skipped. */
export default async function setup(project: TestProject): Promise<void> {
  try {
    project.provide("chromium", await findChromium());
  } catch (error) {
    if (!(error instanceof ChromiumUnavailable)) throw error;
    console.warn(`${error.message} The browser tests are skipped.`);
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
