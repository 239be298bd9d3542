import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** No working Chromium could be found or installed; the message is the sentence a person needs. */
export class ChromiumUnavailable extends Error {
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

/** Runs apt-get without asking anyone anything; another apt-get that holds the lock is waited for. */
const aptGet = (...args: string[]) =>
  run("apt-get", ["-qq", "-y", "-o", "DPkg::Lock::Timeout=120", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });

const install = () => aptGet("install", "--no-install-recommends", "chromium");

/** Why the installation failed: apt-get's own last error. */
const reasonOf = (error: unknown) => {
  const text = error instanceof Error ? (error as { stderr?: string }).stderr || error.message : String(error);
  const lines = text.trim().split("\n");
  return lines.findLast((line) => line.startsWith("E: ")) ?? lines[0] ?? "";
};

/** Installs Debian's package. The lists are fetched only when it can't be had without: they may be missing or out of date. */
async function installFromDebian(): Promise<void> {
  try {
    await install();
  } catch {
    await aptGet("update");
    await install();
  }
}

const advice = "Install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH to its path.";

/**
 * The path of a working Chromium: the one that CHROMIUM_PATH names, or one on PATH; as root on Debian it is installed
 * when there is none.
 *
 * @example
 * const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments });
 */
export async function findChromium(): Promise<string> {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (await works(named)) return named;
    throw new ChromiumUnavailable(`CHROMIUM_PATH names ${named}, which does not answer --version.`);
  }
  const found = await onPath();
  if (found) return found;
  if (process.platform !== "linux" || !isRoot) throw new ChromiumUnavailable(`There is no Chromium here. ${advice}`);
  try {
    await installFromDebian();
  } catch (error) {
    throw new ChromiumUnavailable(
      `There is no Chromium here, and apt-get could not install it (${reasonOf(error)}). ${advice}`,
      {
        cause: error,
      },
    );
  }
  const installed = await onPath();
  if (!installed) throw new ChromiumUnavailable(`The Chromium that apt-get installed does not run here. ${advice}`);
  return installed;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    console.log(await findChromium());
  } catch (error) {
    console.error(error instanceof ChromiumUnavailable ? error.message : error);
    process.exit(1);
  }
}
