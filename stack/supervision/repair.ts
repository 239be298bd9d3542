import { setTimeout } from "node:timers/promises";
import { createPublicClient, fallback, http } from "viem";
import type { Environment } from "../../config/environment";
import { REORG_BEYOND_FINALITY } from "../../config/exit-codes";
import { reindex } from "../reindex";
import { confirm } from "./confirm";
import type { Supervisor } from "./supervisor";

/** How long `/ready` responds 503 with the reason before the stack stops. */
const FAILURE_NOTICE_MS = 5_000;

/**
 * After a reorg that Ponder can't revert: stops the index, deletes the orphaned blocks and starts it again, if the operator
 * confirms it on the terminal. Otherwise stops everything.
 */
export async function repairAfterReorg(
  supervisor: Supervisor,
  reason: string,
  { network, databaseSchema }: Environment,
  databaseUrl: string,
  index: { stop: () => Promise<void>; restart: () => Promise<unknown> },
): Promise<void> {
  supervisor.printError(reason);
  if (!(await confirm("Rebuild the index now?"))) {
    // Gives load balancers time to read the reason from /ready.
    await setTimeout(FAILURE_NOTICE_MS);
    return supervisor.stopAll(REORG_BEYOND_FINALITY);
  }
  await index.stop();
  const { chainId, rpcUrls } = network();
  const chain = createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url))) });
  await reindex({ databaseUrl, schema: databaseSchema, chainId, chain });
  await index.restart();
  supervisor.log.done("The index is being rebuilt");
}
