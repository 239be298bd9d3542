import { z } from "zod";
import type { BlockHeader } from "../rpc/block";
import type { Call } from "../rpc/json-rpc";

const HeadPoll = z.object({
  method: z.literal("eth_getBlockByNumber"),
  params: z.tuple([z.literal("latest"), z.boolean()]),
});

const Transactions = z.array(z.object({ hash: z.string() })).catch([]);

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#head-polls
 *
 * Without it, Ponder polls `eth_getBlockByNumber("latest", true)` by an interval, however many polls have no response yet, and
 * takes a block that is not newer than the last one for a reorg. A node with 3 s of latency gets 30 polls at a time, responses
 * that arrive out of order and nodes that are behind revert blocks that are on the chain, and events are indexed late. So polls
 * are answered from memory, with the head that rpc/head.ts follows and verifies.
 *
 * Test: test/system/unsteady-node.test.ts "reverts nothing, %s"
 * Test: test/system/slow-node.test.ts "with 3 s latency follows the chain"
 *
 * @returns The head as Ponder requested it. Undefined if the call is another one.
 */
export async function answerHeadPoll(call: Call, head: () => Promise<BlockHeader>): Promise<BlockHeader | undefined> {
  const poll = HeadPoll.safeParse(call).data;
  if (!poll) return undefined;
  const newest = await head();
  const [, isFull] = poll.params;
  // A copy, because Ponder drops transactions from the block it gets.
  if (isFull) return { ...newest };
  return { ...newest, transactions: Transactions.parse(newest.transactions).map(({ hash }) => hash) };
}
