// The folder of the built programs. Others may build or run the programs at the same time.
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";

/** How long replaced builds are kept, for processes that load their files right now. */
const KEPT_MS = 600_000;

/**
 * Builds in a new folder of `dist`, and makes dist/current a link to it.
 * @param {string} dist
 * @param {(folder: string) => Promise<string[]>} bundle Writes the files and returns their sources.
 */
export async function replaceBuild(dist, bundle) {
  const startedAt = Date.now();
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, "build-"));
  // Another user may run the programs.
  await chmod(folder, 0o755);
  const sources = await bundle(folder);
  await writeFile(join(folder, "build.json"), JSON.stringify({ startedAt, sources }));
  await symlink(basename(folder), `${folder}.link`, "junction");
  const now = new Date();
  const replaced = await readlink(join(dist, "current")).catch(() => undefined);
  // Its age counts from now on.
  if (replaced) await utimes(join(dist, replaced), now, now).catch(() => {});
  await rename(`${folder}.link`, join(dist, "current"));
  for (const other of (await readdir(dist)).filter((name) => name.startsWith("build-") && name !== basename(folder))) {
    // Another build may rename or remove it at the same time.
    const { mtimeMs } = await lstat(join(dist, other)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(join(dist, other), { recursive: true, force: true });
  }
}
