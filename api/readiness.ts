import type { ChainClient, Services } from "./services";

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

async function chainHead(chain: ChainClient): Promise<bigint | null> {
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
export async function readiness({
  head: readHead,
  clients,
  config,
  outage,
}: Pick<Services, "head" | "clients" | "config" | "outage">): Promise<Readiness> {
  const [{ historyDone, block }, head] = await Promise.all([readHead(), chainHead(clients.chain)]);
  const lag = head !== null && block !== null ? (head > block ? head - block : 0n) : null;
  const reason =
    outage() ??
    (!historyDone
      ? "The index has not yet caught up with the chain's history."
      : lag === null
        ? "The chain does not answer."
        : lag > config.maxLagBlocks
          ? `The index is ${lag} blocks behind the chain.`
          : null);
  return {
    ready: reason === null,
    chain_id: config.chainId,
    block_number: block?.toString() ?? null,
    chain_block_number: head?.toString() ?? null,
    lag_blocks: lag?.toString() ?? null,
    reason,
  };
}
