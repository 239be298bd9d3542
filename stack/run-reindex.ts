import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { createPublicClient, fallback, http } from "viem";
import { InvalidEnvironment, parseEnvironment } from "../config/environment";
import { CannotReindex, reindex } from "./reindex";

/** Rebuilds the index of the configured chain. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "new-chain": { type: "boolean", default: false } } });
  if (existsSync(".env.local")) process.loadEnvFile(".env.local");
  const { databaseUrl, databaseSchema, network } = parseEnvironment(process.env);
  if (databaseUrl === undefined)
    throw new CannotReindex("DATABASE_URL is not set; it names the database of the index.");
  const { chainId, rpcUrls } = network();
  const { keptBlock, deletedBlocks, droppedSchemas } = await reindex({
    databaseUrl,
    schema: databaseSchema,
    chainId,
    chain: createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url))) }),
    newChain: values["new-chain"],
  });
  const cache = keptBlock === null ? "No cached block is on the chain." : `The cache is kept up to block ${keptBlock}.`;
  console.log(`${cache} ${deletedBlocks} cached blocks were deleted.`);
  console.log(
    `Dropped: ${droppedSchemas.join(", ") || "no index"}. The next start indexes the chain again, from the cache first.`,
  );
}

try {
  await main();
} catch (error) {
  if (!(error instanceof CannotReindex || error instanceof InvalidEnvironment)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
