import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build } from "tsdown";

const projectRoot = resolve(import.meta.dirname, "..", "..");

export type Bundle = { file: string; remove: () => Promise<void> };

/**
 * Makes one file of plain JavaScript of a program and all that it imports. From its sources a gateway takes seconds to
 * load, every time; a test that starts one again and again bundles it once.
 */
export async function bundle(program: string): Promise<Bundle> {
  // Inside the project, so that packages that are not bundled are found.
  const parent = join(projectRoot, ".intentry");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "bundle-"));
  await bundleInto(folder, program, ["pg"]);
  await cp(join(projectRoot, "api", "store", "migrations"), join(folder, "migrations"), { recursive: true });
  return { file: join(folder, "program.mjs"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Bundles a program into `program.mjs` of a folder, with everything but the packages named. */
export async function bundleInto(folder: string, program: string, neverBundle: string[]): Promise<void> {
  await build({
    config: false,
    cwd: projectRoot,
    entry: { program },
    outDir: folder,
    platform: "node",
    dts: false,
    logLevel: "warn",
    deps: { alwaysBundle: [/.*/], neverBundle, onlyBundle: false },
  });
}
