import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { protocolAbis } from "./contracts";
import type { Network } from "./networks";

/** A build's schema is the public name, an underscore and this many hex digits. */
const DIGEST_DIGITS = 8;

/** A regular expression for the schemas of all builds of an index. */
export const buildSchemaPattern = (databaseSchema: string) => `^${databaseSchema}_[0-9a-f]{${DIGEST_DIGITS}}$`;

/** The schema to which an index from before builds had schemas of their own is moved. */
export const legacyBuildSchema = (databaseSchema: string) => `${databaseSchema}_${"0".repeat(DIGEST_DIGITS)}`;

const projectRoot = resolve(import.meta.dirname, "..");

/** The files that Ponder hashes into its build id, besides its configuration. */
async function indexedSources(root: string): Promise<string[]> {
  const entries = await readdir(join(root, "src"), { recursive: true, withFileTypes: true });
  const handlers = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(root, "src", "api")))
    .sort();
  return [join(root, "ponder.schema.ts"), ...handlers, join(root, "node_modules", "ponder", "package.json")];
}

/**
 * Names the schema for the index that this version of the handlers builds from this deployment. It changes whenever
 * Ponder's own build id does, so Ponder never meets tables of another build.
 */
export async function buildSchema(
  databaseSchema: string,
  { chainId, startBlock, contracts }: Pick<Network, "chainId" | "startBlock" | "contracts">,
  root = projectRoot,
): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await indexedSources(root)) hash.update(await readFile(file)).update("\0");
  hash.update(JSON.stringify({ chainId, startBlock, contracts, protocolAbis }));
  return `${databaseSchema}_${hash.digest("hex").slice(0, DIGEST_DIGITS)}`;
}
