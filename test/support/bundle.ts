import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { projectRoot } from "../../config/project-root";
import { forNode } from "../../stack/build.js";

/** Builds the programs of a checkout if a source is newer. */
export const requireBuild = (root = projectRoot): Promise<unknown> =>
  promisify(execFile)(process.execPath, [join(root, "stack", "run.js")]);

/** Bundles a program of the tests or benchmarks, by its path below the root. Returns the path of the bundle. */
export async function bundle(program: string): Promise<string> {
  // Below the root, so that it finds the project and its packages. Several processes may bundle at the same time.
  const folder = join(projectRoot, "dist", "tests");
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, `${parse(program).name}-${process.pid}.js`);
  await build({ ...forNode, entryPoints: [program], outfile });
  return outfile;
}

/** The bundle of the gateway, built if a source is newer. */
export async function gatewayProgram(root = projectRoot): Promise<string> {
  await requireBuild(root);
  return join(root, "dist", "current", "gateway.js");
}
