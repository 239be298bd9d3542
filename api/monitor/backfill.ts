/** The window of the rate measurement. */
const WINDOW_MS = 60_000;

/** The minimum window for a meaningful rate. */
const MIN_WINDOW_MS = 2_000;

/** The indexed fraction of the blocks from the start block to the chain's head, from 0 to 1. */
export function progressOf(startBlock: bigint, block: bigint | null, chainHead: bigint): number {
  if (block === null || block <= startBlock) return chainHead <= startBlock && block !== null ? 1 : 0;
  if (block >= chainHead) return 1;
  return Number(((block - startBlock) * 10_000n) / (chainHead - startBlock)) / 10_000;
}

/** Measures the indexing rate. */
export function measureRate() {
  let samples: { at: number; block: bigint }[] = [];
  return {
    observe(at: number, block: bigint): void {
      const last = samples.at(-1);
      // The index went back, so it is being rebuilt.
      if (last && block < last.block) samples = [];
      samples.push({ at, block });
      while (samples.length > 2 && samples[1] && samples[1].at <= at - WINDOW_MS) samples.shift();
    },
    /** Seconds until a block is indexed at the measured rate; null if unknown. */
    secondsUntil(target: bigint): number | null {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last) return null;
      if (last.block >= target) return 0;
      const ms = last.at - first.at;
      const blocks = Number(last.block - first.block);
      if (ms < MIN_WINDOW_MS || blocks === 0) return null;
      return Math.ceil((Number(target - last.block) * ms) / blocks / 1000);
    },
  };
}
