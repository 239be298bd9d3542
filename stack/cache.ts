import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Where something is kept that is made once on a machine and used by every start and test after that. */
export const cached = (name: string) =>
  join(process.env.INTENTRY_CACHE || join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "intentry"), name);

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Does the work in a scratch folder and moves it into place at the end, so that a half-made folder is never used. */
export async function makeFolder(target: string, fill: (scratch: string) => Promise<void>): Promise<string> {
  if (await exists(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.making-`);
  try {
    await fill(scratch);
    await rename(scratch, target);
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    // Another process that made the same folder meanwhile is as good as ours.
    if (!(await exists(target))) throw error;
  }
  return target;
}
