import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { createPublicClient, fallback, http } from "viem";
import { InvalidEnvironment, parseEnvironment } from "../config/environment";
import { startEmbeddedPostgres } from "./postgres/embedded";
import { CannotReindex, reindex } from "./reindex";
import { ownStateFolder, StateFolderInUse } from "./state-folder";

/** Runs an action on the given database, or on the embedded one, which it starts for as long as that takes. */
async function withDatabase<Value>(
  stateFolder: string,
  databaseUrl: string | undefined,
  act: (url: string) => Promise<Value>,
): Promise<Value> {
  if (databaseUrl !== undefined) return act(databaseUrl);
  await ownStateFolder(stateFolder);
  const { child, databaseUrl: url } = await startEmbeddedPostgres(stateFolder);
  try {
    return await act(url);
  } finally {
    await child.stop();
  }
}

/** Rebuilds the index of the configured chain. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "new-chain": { type: "boolean", default: false } } });
  if (existsSync(".env.local")) process.loadEnvFile(".env.local");
  const { databaseUrl, databaseSchema, stateFolder, network } = parseEnvironment(process.env);
  const { chainId, rpcUrls } = network();
  const { keptBlock, deletedBlocks, droppedSchemas } = await withDatabase(stateFolder, databaseUrl, (url) =>
    reindex({
      databaseUrl: url,
      schema: databaseSchema,
      chainId,
      chain: createPublicClient({ transport: fallback(rpcUrls.map((rpcUrl) => http(rpcUrl))) }),
      newChain: values["new-chain"],
    }),
  );
  const cache = keptBlock === null ? "No cached block is on the chain." : `The cache is kept up to block ${keptBlock}.`;
  console.log(`${cache} ${deletedBlocks} cached blocks were deleted.`);
  console.log(
    `Dropped: ${droppedSchemas.join(", ") || "no index"}. The next start indexes the chain again, from the cache first.`,
  );
}

try {
  await main();
} catch (error) {
  const isExpected = [CannotReindex, InvalidEnvironment, StateFolderInUse].some((kind) => error instanceof kind);
  if (!isExpected || !(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
