import { parseArgs } from "node:util";
import { BaseError, createPublicClient, fallback, http } from "viem";
import { describeSources, loadEnvFiles } from "../../config/env-files";
import { parseEnvironment } from "../../config/environment";
import { reindex } from "../reindex";
import { withDatabase } from "../with-database";

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { "new-chain": { type: "boolean", default: false } } });
  console.log(describeSources(loadEnvFiles(".", process.env)));
  const { databaseUrl, databaseSchema, stateFolder, network } = parseEnvironment(process.env);
  const { chainId, rpcUrls } = network();
  const { keptBlock, deletedBlocks, droppedSchemas } = await withDatabase({ stateFolder, databaseUrl }, (url) =>
    reindex({
      databaseUrl: url,
      schema: databaseSchema,
      chainId,
      chain: createPublicClient({ transport: fallback(rpcUrls.map((rpcUrl) => http(rpcUrl))) }),
      newChain: values["new-chain"],
    }),
  );
  const cache = keptBlock === null ? "No cached block is canonical." : `The cache is kept up to block ${keptBlock}.`;
  console.log(`${cache} ${deletedBlocks} cached blocks were deleted.`);
  console.log(
    `Dropped: ${droppedSchemas.join(", ") || "no index"}. The next start indexes the chain again, from the cache first.`,
  );
}

try {
  await main();
} catch (error) {
  // viem's full message contains the URL, which may contain a key.
  if (error instanceof BaseError) console.error(`The RPC request failed: ${error.shortMessage} Check RPC_URL.`);
  else if (error instanceof Error) console.error(error.message);
  else throw error;
  process.exitCode = 1;
}
