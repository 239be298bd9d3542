/** The chain's newest block, as it was last received. */
export type Header = {
  number: bigint;
  hash: string;
  /** Unix seconds. */
  timestamp: bigint;
  /** When a node last named it as its newest, in milliseconds since 1970. */
  receivedAt: number;
};
