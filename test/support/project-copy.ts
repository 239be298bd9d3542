import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const projectRoot = resolve(import.meta.dirname, "..", "..");

/** The files of the indexer and the gateway. */
const SOURCES = [
  "abis",
  "api",
  "client",
  "common",
  "config",
  join("contracts", "bytecode.json"),
  "examples",
  "explorer",
  "rpc",
  "src",
  "stack",
  "workarounds",
  "ponder.config.ts",
  "ponder.schema.ts",
  "package.json",
  "tsconfig.json",
  "vite.config.cjs",
];

export type ProjectCopy = { root: string; remove: () => Promise<void> };

/** Copies the sources, and more folders, into a temporary folder, so that a test can edit them. */
export async function copyProject(more: readonly string[] = []): Promise<ProjectCopy> {
  const root = await mkdtemp(join(tmpdir(), "intentry-copy-"));
  for (const source of [...SOURCES, ...more])
    await cp(join(projectRoot, source), join(root, source), { recursive: true });
  await symlink(join(projectRoot, "node_modules"), join(root, "node_modules"));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Edits a checkout so that it has another build of the index, with the same tables. */
export async function changeIndexBuild(root: string): Promise<void> {
  const file = join(root, "src", "schema", "agents.ts");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("agent = onchainTable(", "agent = /* changed */ onchainTable("));
}
