import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { BlockHeader, MAX_NULL_RESPONSES } from "./block";

/** More blocks than a chain has that are not final. */
const MAX_BLOCKS = 1_000;

/** The heights of the blocks that nodes have returned. A block hash alone does not tell whether a reorg removed its block. */
export class SeenBlocks {
  readonly #numbers = new Map<string, Hex>();

  /** Remembers the result of a request for a block. Ignores null, for a block that the node does not have. */
  add(result: unknown): void {
    const block = BlockHeader.safeParse(result).data;
    if (!block) return;
    this.#numbers.set(block.hash, block.number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > MAX_BLOCKS && oldest !== undefined) this.#numbers.delete(oldest);
  }

  /**
   * Whether the chain has another block at the height of this one, or none in several responses: the chain got shorter.
   * False if the height is unknown.
   */
  async isOrphaned(hash: string, blockAt: (number: Hex) => Promise<unknown>, pauseMs: number): Promise<boolean> {
    const number = this.#numbers.get(hash);
    if (number === undefined) return false;
    for (let nulls = 1; ; nulls++) {
      const present = BlockHeader.nullable().parse(await blockAt(number));
      if (present) return present.hash !== hash;
      if (nulls === MAX_NULL_RESPONSES) return true;
      await sleep(pauseMs);
    }
  }
}
