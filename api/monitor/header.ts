/** The chain's newest block. */
export type Header = {
  number: bigint;
  hash: string;
  /** Unix seconds. */
  timestamp: bigint;
  /** When a node last returned it as its newest block, in milliseconds since 1970. */
  receivedAt: number;
};
