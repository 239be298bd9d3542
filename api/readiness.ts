import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Services } from "./services";

/** How long the chain has to say where its head is. */
const CHAIN_TIMEOUT_MS = 2_000;

export type Readiness = {
  ready: boolean;
  chain_id: number;
  /** The block the index stands at; null before the first. */
  block_number: string | null;
  /** The chain's newest block; null when the chain does not answer. */
  chain_block_number: string | null;
  lag_blocks: string | null;
  /** Why it is not ready. */
  reason: string | null;
};

const Progress = z.object({
  is_ready: z.coerce.number(),
  latest_checkpoint: z.string().nullable(),
});

/** A Ponder checkpoint is fixed-width decimal fields: 10 digits of time, 16 of chain id, 16 of block number, … */
const blockOfCheckpoint = (checkpoint: string) => BigInt(checkpoint.slice(26, 42));

async function indexProgress(db: Services["db"]) {
  const { rows } = await db.execute(
    sql`SELECT value->>'is_ready' AS is_ready, (SELECT max(latest_checkpoint) FROM _ponder_checkpoint) AS latest_checkpoint FROM _ponder_meta WHERE key = 'app'`,
  );
  const progress = Progress.optional().parse(rows[0]);
  const checkpoint = progress?.latest_checkpoint;
  return {
    historicalDone: progress?.is_ready === 1,
    block: checkpoint ? blockOfCheckpoint(checkpoint) : null,
  };
}

async function chainHead(chain: Services["chain"]): Promise<bigint | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), CHAIN_TIMEOUT_MS);
  });
  try {
    return await Promise.race([chain.getBlockNumber({ cacheTime: 0 }).catch(() => null), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the index has caught up with the chain, and how far apart the two are. */
export async function readiness({ db, chain, config }: Services): Promise<Readiness> {
  const [{ historicalDone, block }, head] = await Promise.all([indexProgress(db), chainHead(chain)]);
  const lag = head !== null && block !== null ? (head > block ? head - block : 0n) : null;
  const reason = !historicalDone
    ? "The index has not yet caught up with the chain's history."
    : lag === null
      ? "The chain does not answer."
      : lag > config.maxLagBlocks
        ? `The index is ${lag} blocks behind the chain.`
        : null;
  return {
    ready: reason === null,
    chain_id: config.chainId,
    block_number: block?.toString() ?? null,
    chain_block_number: head?.toString() ?? null,
    lag_blocks: lag?.toString() ?? null,
    reason,
  };
}
