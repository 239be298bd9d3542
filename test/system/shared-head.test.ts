import { setTimeout } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readSharedHead, type SharedHead } from "../../api/monitor/shared-head";
import { openStore, type Store } from "../../api/offchain/open";
import { steadyTime } from "../../config/steady-time";
import { type FollowedHead, followHead } from "../../rpc/follow-head";
import { publishIndexerHead } from "../../rpc/publish-head";
import { publishHead, readHead } from "../../rpc/published-head";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { block, type FakeNode, startFakeNode } from "../support/rpc-node";

const CHAIN_ID = 8453;

const failed = (error: unknown) => {
  throw error;
};

describe("the shared head of a chain", () => {
  let database: TestDatabase;
  let store: Store;
  let node: FakeNode;
  let readers: SharedHead[];
  let followers: FollowedHead[];

  beforeAll(async () => {
    database = await createTestDatabase("shared_head");
    store = await openStore({ databaseUrl: database.url, onIdleError: () => {} });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    node = await startFakeNode();
    node.mine(block(1));
    readers = [];
    followers = [];
  });
  afterEach(async () => {
    for (const reader of readers) reader.close();
    for (const follower of followers) follower.close();
    await node.close();
    await store.db.execute(sql`TRUNCATE offchain.chain_head`);
  });

  /** Follows the fake node. The number of open followers is the number of processes that poll it. */
  const follow = () => {
    const followed = followHead({ urls: [node.url], intervalMs: 20, quietMs: 1_000, timeoutMs: 2_000 });
    followers.push(followed);
    return {
      ...followed,
      close() {
        followed.close();
        followers.splice(followers.indexOf(followed), 1);
      },
    };
  };

  const gateway = (db: () => Promise<Store["db"]> = async () => store.db) => {
    const reader = readSharedHead({ store: db, chainId: CHAIN_ID, intervalMs: 50, follow, onError: () => {} });
    readers.push(reader);
    return reader;
  };

  const head = (number: bigint) => ({
    number,
    hash: `0x${number}`,
    timestamp: 1_000n + number,
    receivedAt: steadyTime(),
  });
  const indexer = { id: "an indexer", isIndexer: true };
  const renew = (number: bigint, isAway = false) =>
    publishHead(store.db, CHAIN_ID, indexer, { head: head(number), isAway });
  const expire = () => store.db.execute(sql`UPDATE offchain.chain_head SET renewed_at = renewed_at - interval '6 s'`);

  it("is published by the indexer, without extra requests to the node", async () => {
    await renew(7n);
    const [one, other] = [gateway(), gateway()];
    await expect.poll(() => [one.current()?.number, other.current()?.number]).toEqual([7n, 7n]);
    await renew(8n, true);
    await expect.poll(() => [one.current()?.number, one.isAway()]).toEqual([8n, true]);
    expect(one.current()).toMatchObject({ hash: "0x8", timestamp: 1_008n });
    expect(node.calls).toEqual([]);
  });

  it("is followed by one gateway while no indexer runs", async () => {
    const all = [gateway(), gateway(), gateway()];
    const numbers = () => all.map((each) => each.current()?.number);
    await expect.poll(numbers).toEqual([1n, 1n, 1n]);
    expect(followers).toHaveLength(1);
    node.mine(block(2));
    await expect.poll(numbers).toEqual([2n, 2n, 2n]);
    expect(node.maxInFlight).toBe(1);
    expect(await renew(9n)).toBe(true);
    await expect.poll(numbers).toEqual([9n, 9n, 9n]);
    expect(followers).toHaveLength(0);
  });

  it("is taken over by a gateway when the indexer stops renewing it", async () => {
    await renew(7n);
    const reader = gateway();
    await expect.poll(() => reader.current()?.number).toBe(7n);
    await expect.poll(() => reader.current()?.number, { timeout: 20_000 }).toBe(1n);
    expect(followers).toHaveLength(1);
  });

  it("is published by one indexer at a time", async () => {
    expect(await renew(7n)).toBe(true);
    const other = { id: "another indexer", isIndexer: true };
    const state = { head: head(5n), isAway: false };
    expect(await publishHead(store.db, CHAIN_ID, other, state)).toBe(false);
    expect(await readHead(store.db, CHAIN_ID)).toMatchObject({ followerId: "an indexer", head: { number: 7n } });
    await expire();
    expect(await publishHead(store.db, CHAIN_ID, other, state)).toBe(true);
    expect(await readHead(store.db, CHAIN_ID)).toMatchObject({ head: { number: 5n } });
  });

  it("keeps the last known block when a new follower has none yet", async () => {
    await renew(7n);
    await expire();
    expect(await readHead(store.db, CHAIN_ID)).toBeUndefined();
    await publishHead(store.db, CHAIN_ID, { id: "a gateway", isIndexer: false }, { head: undefined, isAway: false });
    expect(await readHead(store.db, CHAIN_ID)).toMatchObject({ followerId: "a gateway", head: { number: 7n } });
  });

  it("is followed by each process itself while the store is away", async () => {
    const reader = gateway(async () => failed(new Error("connection refused")));
    await expect.poll(() => reader.current()?.number).toBe(1n);
  });

  it("has the same age as in its follower", async () => {
    const old = { ...head(7n), receivedAt: steadyTime() - 60_000 };
    await publishHead(store.db, CHAIN_ID, indexer, { head: old, isAway: true });
    const age = steadyTime() - ((await readHead(store.db, CHAIN_ID))?.head?.receivedAt ?? 0);
    expect(age).toBeGreaterThanOrEqual(59_000);
  });

  it("is published by the indexer whenever it changes, and renewed when it does not", async () => {
    let current = head(1n);
    const published = { current: () => current, isAway: () => false };
    const { stop } = publishIndexerHead({
      databaseUrl: database.url,
      chainId: CHAIN_ID,
      head: published,
      onFailure: failed,
      onRecovery: () => {},
    });
    const number = async () => (await readHead(store.db, CHAIN_ID))?.head?.number;
    await expect.poll(number).toBe(1n);
    current = head(2n);
    await expect.poll(number).toBe(2n);
    await setTimeout(6_000);
    expect(await number()).toBe(2n);
    await stop();
  });

  describe("in a database of its own", () => {
    let other: TestDatabase;
    let reported: string[];
    let attempts: bigint;

    beforeEach(async () => {
      other = await createTestDatabase("head");
      reported = [];
      attempts = 0n;
    });
    afterEach(() => other.drop());

    const publishChanges = () =>
      publishIndexerHead({
        databaseUrl: other.url,
        chainId: CHAIN_ID,
        head: { current: () => head(++attempts), isAway: () => false },
        onFailure: (error) => reported.push(String((error as Error).cause ?? error)),
        onRecovery: () => reported.push("recovered"),
      });
    const open = () => openStore({ databaseUrl: other.url, onIdleError: () => {} });

    it("is published as soon as a gateway has created the tables", async () => {
      const { stop } = publishChanges();
      await expect.poll(() => attempts).toBeGreaterThan(5n);
      const late = await open();
      await expect.poll(async () => (await readHead(late.db, CHAIN_ID))?.head?.number).toBeGreaterThan(5n);
      expect(reported).toEqual([]);
      await stop();
      await late.close();
    });

    it("reports the first failure to publish it, and the recovery", async () => {
      const { db, close } = await open();
      await db.execute("ALTER TABLE offchain.chain_head RENAME COLUMN follower TO renamed");
      const { stop } = publishChanges();
      await expect.poll(() => attempts).toBeGreaterThan(5n);
      const failure = expect.stringContaining('column "follower"');
      expect(reported).toEqual([failure]);
      await db.execute("ALTER TABLE offchain.chain_head RENAME COLUMN renamed TO follower");
      await expect.poll(() => reported).toEqual([failure, "recovered"]);
      await stop();
      await close();
    });
  });
});
