import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Readiness } from "../../api/monitor/readiness";
import { actor } from "../../stack/local/chain";
import { differences } from "../support/agreement";
import { type Stack, startStack } from "../support/stack";
import { readinessClient } from "./readiness-client";

/** The time limit for an index to follow a chain that got shorter. */
const FOLLOWED_MS = 5_000;

/** How long /ready may be 200 with a head that is not on the chain: until the nodes and the monitor have confirmed it. */
const NOTICED_MS = 3_000;

const REMOVED_BLOCKS = 3;

describe("a chain that gets shorter", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
    await register("kept");
  });
  afterAll(() => stack?.stop());

  const { get, register, ready } = readinessClient(() => ({ stack, index: stack }));

  const agentNames = async () => {
    const { agents } = (await (await get(`/agents?owner=${actor(2).address}&limit=100`)).json()) as {
      agents: { metadata_uri: string }[];
    };
    return agents.map(({ metadata_uri }) => metadata_uri);
  };

  /** Requests /ready until `isDone`. Returns how long that took, and when it was last 200 with a block that is not on the chain. */
  async function watchReady(head: bigint, isDone: (state: Readiness) => boolean) {
    const startedAt = Date.now();
    let wrongMs = 0;
    for (;;) {
      const state = await ready();
      const ms = Date.now() - startedAt;
      if (state.ready && BigInt(state.block_number ?? 0) > head) wrongMs = ms;
      if (isDone(state) || ms > 90_000) return { ms, wrongMs };
      await sleep(20);
    }
  }

  it.each(Array.from({ length: 10 }, (_, round) => round))("is followed within 5 s, round %i", async (round) => {
    const snapshot = await stack.client.snapshot();
    const head = await stack.client.getBlockNumber();
    for (let block = 0; block < REMOVED_BLOCKS; block++) await register(`removed ${round} ${block}`);
    // In every other round, the indexer is still reading the blocks when they are removed.
    const tip = String(head + BigInt(REMOVED_BLOCKS));
    await watchReady(head, (state) => (round % 2 === 0 ? state.block_number : state.chain_block_number) === tip);
    await stack.client.revert({ id: snapshot });
    expect(await stack.client.getBlockNumber()).toBe(head);
    const { ms, wrongMs } = await watchReady(
      head,
      (state) => state.ready && state.block_number === String(head) && state.chain_block_number === String(head),
    );
    expect(wrongMs).toBeLessThan(NOTICED_MS);
    expect(ms).toBeLessThan(FOLLOWED_MS);
    expect(await agentNames()).toEqual(["kept", ...Array.from({ length: round }, (_, earlier) => `later ${earlier}`)]);

    await register(`later ${round}`);
    const { ms: laterMs } = await watchReady(head + 1n, ({ block_number }) => block_number === String(head + 1n));
    expect(laterMs).toBeLessThan(FOLLOWED_MS);
  });

  it.each([3, 40])("is followed if 25 blocks, fewer than Ponder's finality, are replaced by %i", async (added) => {
    const kept = await agentNames();
    const snapshot = await stack.client.snapshot();
    const head = await stack.client.getBlockNumber();
    for (let block = 0; block < 25; block++) await register(`removed ${added} ${block}`);
    await stack.indexed();
    await stack.client.revert({ id: snapshot });
    const names = Array.from({ length: added }, (_, block) => `instead ${added} ${block}`);
    for (const name of names) await register(name);
    const tip = String(head + BigInt(added));
    await watchReady(head, (state) => state.ready && state.block_number === tip);
    await expect.poll(agentNames).toEqual([...kept, ...names]);
  });

  it("leaves an index that agrees with the contracts", async () => {
    expect(await differences(stack)).toEqual([]);
  });
});
