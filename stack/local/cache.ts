import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** A path in the machine-wide cache, which all starts and tests share. */
export const cached = (name: string) => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "intentry", name);

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Creates a folder atomically, unless it exists: fills a scratch folder and renames it. */
export async function makeFolder(target: string, fill: (scratch: string) => Promise<void>): Promise<string> {
  if (await exists(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.making-`);
  try {
    await fill(scratch);
    await rename(scratch, target);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    // Another process may have created the same folder meanwhile.
    if (!(await exists(target))) throw error;
  }
  return target;
}
