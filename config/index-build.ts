import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Network } from "./networks";
import { projectRoot } from "./project-root";

/** The chain to index, its contracts and their first blocks. */
export type Deployment = Pick<Network, "chainId" | "startBlock" | "startBlocks" | "contracts">;

// The name of a build, which is also that of its PostgreSQL schema, is `<DATABASE_SCHEMA>_<deployment digest><code digest>`.
const DEPLOYMENT_DIGITS = 6;
const CODE_DIGITS = 6;

/** A regular expression for the names of all builds with this prefix, of any deployment. */
export const anyBuildPattern = (databaseSchema: string) =>
  `^${databaseSchema}_[0-9a-f]{${DEPLOYMENT_DIGITS + CODE_DIGITS}}$`;

/** A regular expression for the builds of the same deployment by any version of the code, including this build. */
export const sameDeploymentPattern = (build: string) => `^${build.slice(0, -CODE_DIGITS)}[0-9a-f]{${CODE_DIGITS}}$`;

/** The build of `ponder dev`, whose index changes with the edits. An ordinary start drops it like an earlier build. */
export const developmentBuild = (build: string) => `${build.slice(0, -CODE_DIGITS)}0000de`;

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * The files that determine the rows: those of Ponder's build id (handlers, tables, ABIs and its configuration), the code in
 * common/rows/ that handlers share with the gateway, and Ponder itself.
 */
async function indexedSources(root: string): Promise<string[]> {
  const handlers = await filesBelow(join(root, "src"));
  return [
    ...handlers.filter((file) => !file.startsWith(join(root, "src", "api"))),
    ...(await filesBelow(join(root, "abis"))),
    ...(await filesBelow(join(root, "common", "rows"))),
    ...["ponder.schema.ts", "ponder.config.ts", join("config", "contracts.ts")].map((file) => join(root, file)),
    join(root, "node_modules", "ponder", "package.json"),
  ];
}

const digest = (parts: readonly (string | Uint8Array)[], digits: number) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, digits);
};

/**
 * Returns the name of the index build that this version of the code builds from a deployment. It changes whenever
 * Ponder's build id changes, so Ponder never finds tables of another build in it.
 */
export async function buildName(
  databaseSchema: string,
  { chainId, startBlock, startBlocks = {}, contracts }: Deployment,
  root = projectRoot,
): Promise<string> {
  const addresses = Object.entries(contracts).sort(([one], [other]) => (one < other ? -1 : 1));
  const deployment = digest([JSON.stringify({ chainId, startBlock, addresses })], DEPLOYMENT_DIGITS);
  const files = await indexedSources(root);
  const contents = await Promise.all(files.map((file) => readFile(file)));
  // The same deployment, indexed differently: with START_BLOCK, no contract has a start block of its own.
  const code = digest([...contents, JSON.stringify(startBlocks)], CODE_DIGITS);
  return `${databaseSchema}_${deployment}${code}`;
}
