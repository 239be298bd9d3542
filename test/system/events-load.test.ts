import { join } from "node:path";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protocolAbis } from "../../config/contracts";
import { actor } from "../../stack/local/chain";
import { FollowingClient } from "../support/event-client";
import { type Stack, startStack } from "../support/stack";

const SUBSCRIBERS = 500;
const EVENTS = 1_000;
const EVENTS_PER_BLOCK = 50;
/** The depth of the reorg in the middle of the test. */
const REORG_DEPTH = 4;

const sender = actor(1);

/** The allowed heap growth: the index itself has more data than before. */
const GROWTH_BYTES = 16 * 1024 * 1024;

/** The server's heap size in bytes, from its metrics: the minimum of several readings, taken until garbage was collected. */
async function heapOf(ponderUrl: string): Promise<number> {
  const readings: number[] = [];
  for (let reading = 0; reading < 30; reading++) {
    const text = await (await fetch(`${ponderUrl}/metrics`)).text();
    readings.push(Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return Math.min(...readings);
}

describe(`${SUBSCRIBERS} subscribers on one process`, () => {
  let stack: Stack;
  const clients: FollowingClient[] = [];

  beforeAll(async () => {
    stack = await startStack({
      env: { NODE_OPTIONS: `--require ${join(import.meta.dirname, "..", "support", "collect-garbage.cjs")}` },
    });
  });
  afterAll(async () => {
    for (const client of clients) client.cut();
    await stack?.stop();
  });

  /** One transaction, and so one block, with many events. */
  const mineBlock = (first: number) =>
    stack.write(sender, "Multicall", "aggregate", [
      Array.from({ length: EVENTS_PER_BLOCK }, (_, place) => ({
        target: stack.contracts.PolicyModule,
        value: 0n,
        data: encodeFunctionData({
          abi: protocolAbis.PolicyModule,
          functionName: "setSpendLimit",
          args: [stack.contracts.TestDollar, BigInt(first + place + 1)],
        }),
      })),
    ]);

  const logged = async () =>
    (await stack.rows("eventLog")).map(({ id, blockHash }) => `${id}-${blockHash.slice(2, 18)}`).sort();

  it("each receive every event once and in order, through a reconnect and a reorg, without a memory leak", {
    timeout: 240_000,
  }, async () => {
    await mineBlock(0);
    await stack.indexed();
    const before = await heapOf(stack.ponderUrl);

    for (let number = 0; number < SUBSCRIBERS; number++) {
      const client = new FollowingClient(`${stack.apiUrl}/events?from_block=0`);
      clients.push(client);
      // Each connection is lost once, at a different message, and is reopened immediately.
      let left = 100 + ((number * 37) % 800);
      client.onMessage = () => {
        if (--left !== 0) return true;
        setTimeout(() => void client.connect(), 50);
        return false;
      };
    }
    await Promise.all(clients.map((client) => client.connect()));

    const blocks = EVENTS / EVENTS_PER_BLOCK;
    for (let block = 1; block < blocks; block++) {
      await mineBlock(block * EVENTS_PER_BLOCK);
      if (block !== blocks / 2) continue;
      await stack.indexed();
      await expect.poll(() => clients[0]?.held.length, { timeout: 30_000 }).toBe((block + 1) * EVENTS_PER_BLOCK);
      await stack.client.request({ method: "anvil_reorg", params: [REORG_DEPTH, []] } as never);
      for (let again = 0; again < REORG_DEPTH; again++) await mineBlock(10_000 + again * EVENTS_PER_BLOCK);
    }

    const truth = await logged();
    expect(truth).toHaveLength(EVENTS);
    const complete = () => clients.filter(({ held }) => held.length === EVENTS).length;
    await expect.poll(complete, { timeout: 60_000 }).toBe(SUBSCRIBERS);
    for (const { held, problems } of clients) {
      expect(problems).toEqual([]);
      expect(held).toEqual(truth);
    }
    const removed = clients.map((client) => client.removed.length);
    expect(Math.max(...removed)).toBe(REORG_DEPTH * EVENTS_PER_BLOCK);

    for (const client of clients) client.cut();
    await expect
      .poll(() => heapOf(stack.ponderUrl), { timeout: 60_000, interval: 1_000 })
      .toBeLessThan(before + GROWTH_BYTES);
  });
});
