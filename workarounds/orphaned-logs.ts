import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, RpcRequestError } from "viem";
import { z } from "zod";
import { BlockHeader, MAX_NULL_RESPONSES } from "../rpc/block";
import type { Call } from "../rpc/json-rpc";

/** More blocks than a chain has that are not final. */
const MAX_BLOCKS = 1_000;

/** JSON-RPC's code for an invalid input. Ponder does not retry a call with any code if the message contains "revert". */
const INVALID_INPUT = -32000;

const LogsOfBlock = z.object({
  method: z.literal("eth_getLogs"),
  params: z.tuple([z.object({ blockHash: z.string() })]),
});

const orphaned = (body: Call, hash: string) =>
  new RpcRequestError({
    body,
    url: "",
    error: { code: INVALID_INPUT, message: `Block ${hash} was reverted by a reorg` },
  });

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#orphaned-logs
 *
 * Without it, Ponder requests the logs of a block that a reorg has removed ten times, for 64 s, and indexes no other block
 * meanwhile. A node returns an error for them, such as "unknown block". This class finds out whether the block is orphaned, and
 * then replaces the error with one that Ponder does not retry. It remembers the heights of the blocks that nodes have returned,
 * because a block hash alone does not tell whether a reorg removed its block.
 *
 * Test: test/unit/rpc-transport.test.ts "throws an error that Ponder does not retry, if a reorg has removed the block"
 */
export class OrphanedLogs {
  readonly #numbers = new Map<string, Hex>();
  readonly #blockAt: (number: Hex) => Promise<unknown>;
  readonly #pauseMs: number;

  constructor(blockAt: (number: Hex) => Promise<unknown>, pauseMs: number) {
    this.#blockAt = blockAt;
    this.#pauseMs = pauseMs;
  }

  /** Remembers the result of a request for a block. Ignores null, for a block that the node does not have. */
  add(result: unknown): void {
    const block = BlockHeader.safeParse(result).data;
    if (!block) return;
    this.#numbers.set(block.hash, block.number);
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > MAX_BLOCKS && oldest !== undefined) this.#numbers.delete(oldest);
  }

  /** The error that Ponder gets for a failed call: another one for the logs of an orphaned block. */
  async errorOf(call: Call, error: unknown): Promise<unknown> {
    const [filter] = LogsOfBlock.safeParse(call).data?.params ?? [];
    if (!filter || !(error instanceof RpcRequestError)) return error;
    const isOrphaned = await this.#isOrphaned(filter.blockHash).catch(() => false);
    return isOrphaned ? orphaned(call, filter.blockHash) : error;
  }

  /**
   * Whether the chain has another block at the height of this one, or none in several responses: the chain got shorter.
   * False if the height is unknown.
   */
  async #isOrphaned(hash: string): Promise<boolean> {
    const number = this.#numbers.get(hash);
    if (number === undefined) return false;
    for (let nulls = 1; ; nulls++) {
      const present = BlockHeader.nullable().parse(await this.#blockAt(number));
      if (present) return present.hash !== hash;
      if (nulls === MAX_NULL_RESPONSES) return true;
      await sleep(this.#pauseMs);
    }
  }
}
