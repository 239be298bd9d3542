import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { CannotReindex, reindex } from "../../stack/reindex";
import { PONDER_REORG_MESSAGE } from "../../workarounds/unrecoverable-reorg";
import { DATABASE_SCHEMA, type Index, indexOf } from "../support/index-of";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";
import { readinessClient, SETTLED } from "./readiness-client";

describe("readiness after a reorg beyond finality", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  let databaseUrl: string;
  beforeAll(async () => {
    stack = await startStack({ index: false });
    databaseUrl = stack.databaseUrl ?? "";
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    const env = { DATABASE_URL: databaseUrl, READY_MAX_LAG_SECONDS: "30" };
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, env);
    await register("in history");
    await stack.client.mine({ blocks: 40 });
    await index.startIndexer();
  });
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
  });

  const { get, register, query, ready } = readinessClient(() => ({ stack, index }));

  const reorgReason = /^The chain replaced block \d+, which was finalized; stop the indexer and run npm run reindex\.$/;

  it("can't be repaired while an indexer runs", async () => {
    const options = { databaseUrl, schema: DATABASE_SCHEMA, chainId: LOCAL_CHAIN_ID, chain: stack.client };
    await expect(reindex(options)).rejects.toThrow(CannotReindex);
    await expect(reindex(options)).rejects.toThrow(
      /An indexer holds the schema intentry_test_[0-9a-f]{12}\. Stop it first/,
    );
  });

  it("is false after a reorg beyond finality, which is logged with the repair command", async () => {
    const snapshot = await stack.client.snapshot();
    await register("lost");
    const lostBlock = await stack.client.getBlockNumber();
    await stack.client.mine({ blocks: 100 });
    await index.indexed();
    await expect
      .poll(async () => {
        const [row] = await query<{ block: string }>(
          `SELECT substr(finalized_checkpoint, 27, 16)::bigint AS block FROM ${DATABASE_SCHEMA}._ponder_checkpoint`,
        );
        return BigInt(row?.block ?? 0) >= lostBlock;
      }, SETTLED)
      .toBe(true);
    expect((await get("/agents/2")).status).toBe(200);
    await stack.client.revert({ id: snapshot });
    await stack.client.mine({ blocks: 5 });
    await register("kept");
    await stack.client.mine({ blocks: 160 });
    await expect.poll(ready, SETTLED).toMatchObject({ ready: false, reason: expect.stringMatching(reorgReason) });
    await expect.poll(() => index.log(), SETTLED).toContain(PONDER_REORG_MESSAGE);
    const logged = () =>
      index
        .log()
        .split("\n")
        .filter((line) => line.includes("reorg-beyond-finality"));
    // The gateway writes its log in batches.
    await expect.poll(logged, SETTLED).toEqual([expect.stringContaining("npm run reindex")]);
  });

  it("is still false after a restart, although the indexer itself no longer detects it", async () => {
    await index.stopIndexer();
    const starting = index.startIndexer().catch(() => undefined);
    await expect
      .poll(() => ready().catch(() => undefined), SETTLED)
      .toMatchObject({ ready: false, reason: expect.stringMatching(reorgReason) });
    await index.stopIndexer();
    await starting;
  });

  it("is true again after a rebuild from the cached blocks that are still on the chain", async () => {
    const cached = async () =>
      (
        await query<{ number: string; hash: string }>("SELECT number, hash FROM ponder_sync.blocks ORDER BY number")
      ).map(({ number, hash }) => ({ number: BigInt(number), hash }));
    const before = await cached();
    const chainHash = async (blockNumber: bigint) => (await stack.client.getBlock({ blockNumber })).hash;
    const isOnChain = await Promise.all(before.map(async ({ number, hash }) => (await chainHash(number)) === hash));
    expect(isOnChain).toContain(true);
    expect(isOnChain).toContain(false);
    const done = await reindex({ databaseUrl, schema: DATABASE_SCHEMA, chainId: LOCAL_CHAIN_ID, chain: stack.client });
    const kept = before.filter((_, place) => isOnChain[place]);
    expect(done).toEqual({
      keptBlock: kept.at(-1)?.number,
      deletedBlocks: before.length - kept.length,
      droppedSchemas: [expect.stringMatching(/^intentry_test_[0-9a-f]{12}$/)],
    });
    expect(await cached()).toEqual(kept);
    const intervals = await query<{ upper: string }>(
      "SELECT DISTINCT upper(blocks) AS upper FROM ponder_sync.intervals",
    );
    expect(intervals).toEqual([{ upper: String((kept.at(-1)?.number ?? 0n) + 1n) }]);

    await index.startIndexer();
    expect(await ready()).toMatchObject({ ready: true });
    expect((await index.rows("agent")).map(({ metadataUri }) => metadataUri)).toEqual(["in history", "kept"]);
  });
});
