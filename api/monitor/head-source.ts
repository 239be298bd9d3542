import type { Hex } from "viem";

/** The chain's newest block, as it was last received. */
export type Header = {
  number: bigint;
  hash: Hex;
  /** Unix seconds. */
  timestamp: bigint;
  /** When it was received, in milliseconds since 1970. */
  receivedAt: number;
};

/** Where the newest block is read from memory. */
export type HeadSource = {
  /** The newest block of the last successful answer; undefined before the first. */
  latest: () => Header | undefined;
  stop: () => void;
};

type Block = { number: bigint | null; hash: Hex | null; timestamp: bigint };

type Options = {
  /** Asks the chain for its newest block. */
  getBlock: () => Promise<Block>;
  /** How often to ask, at most. */
  intervalMs: number;
  onError?: (error: unknown) => void;
};

/** A node that takes long to answer is asked less often, by this factor. */
const ANSWER_TIMES = 3;

const MAX_BACKOFF_MS = 5_000;

/** Polls the chain for its newest block: one request in flight, the next one later the slower the node or the more it fails. */
export function pollHead({ getBlock, intervalMs, onError }: Options): HeadSource {
  let header: Header | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    const askedAt = Date.now();
    try {
      const { number, hash, timestamp } = await getBlock();
      if (number !== null && hash !== null) header = { number, hash, timestamp, receivedAt: Date.now() };
      failures = 0;
    } catch (error) {
      failures += 1;
      onError?.(error);
    }
    if (stopped) return;
    const answerMs = failures === 0 ? (Date.now() - askedAt) * ANSWER_TIMES : 0;
    const backoff = failures === 0 ? 0 : Math.min(intervalMs * 2 ** failures, MAX_BACKOFF_MS);
    timer = setTimeout(() => void poll(), Math.max(intervalMs, answerMs, backoff));
    timer.unref();
  }

  void poll();
  return {
    latest: () => header,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
