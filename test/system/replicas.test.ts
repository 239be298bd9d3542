import { Agent, get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { query } from "../../stack/local/postgres/cluster";
import { hashOf } from "../../stack/local/sample/people";
import { type Postgres, type Replica, startPostgres } from "../support/postgres-server";
import { type Stack, startStack } from "../support/stack";

/** Sends a request on a connection that stays open. */
const getOn = (agent: Agent, url: string) =>
  new Promise<{ status: number; block: number; body: string }>((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, block: Number(response.headers["x-index-block"]), body }),
      );
    });
    request.on("error", reject);
  });

describe("a gateway with a replica of the database", () => {
  let postgres: Postgres;
  let replica: Replica;
  let stack: Stack;
  let replicaUrl: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    replica = await postgres.startReplica();
    stack = await startStack({ databaseServer: postgres.url, index: false, sample: true });
    replicaUrl = replica.urlOf(stack.databaseUrl);
    await stack.startIndexer({ DATABASE_READ_URLS: replicaUrl });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
    await postgres?.stop();
  });

  const register = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const readAgent = async (id: number) => (await fetch(`${stack.apiUrl}/agents/${id}`)).status;
  /** Whether the replica serves the reads of the index. */
  const isUsed = async () =>
    /intentry_replica_in_use\{[^}]*\} 1/.test(await (await fetch(`${stack.apiUrl}/metrics`)).text());
  const used = (isExpected: boolean) => expect.poll(isUsed, { timeout: 20_000 }).toBe(isExpected);
  /** Stops and continues the replay of the write-ahead log. */
  const pause = () => query(replicaUrl, "SELECT pg_wal_replay_pause()");
  const resume = () => query(replicaUrl, "SELECT pg_wal_replay_resume()");
  const openIntent = async () => {
    const response = await fetch(`${stack.apiUrl}/intents?status=open&limit=1`);
    const { intents } = (await response.json()) as { intents: { intent_id: string }[] };
    return intents[0]?.intent_id;
  };

  it("reads the index from it", async () => {
    await register("one");
    await stack.indexed();
    await used(true);
    expect(await readAgent(1)).toBe(200);
  });

  it("leaves it out while it is behind, without going back in time on a connection", { timeout: 90_000 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const blocks: number[] = [];
    const observe = async () => {
      const { status, block } = await getOn(agent, `${stack.apiUrl}/intents`);
      expect(status).toBe(200);
      blocks.push(block);
    };
    await used(true);
    await pause();
    for (let round = 0; round < 40; round++) {
      if (round % 10 === 0) await register(`behind ${round}`);
      await observe();
      await setTimeout(150);
    }
    await used(false);
    await stack.indexed();
    await observe();
    expect(blocks.at(-1)).toBe(Number(await stack.chain.client.getBlockNumber()));
    await resume();
    await used(true);
    await observe();
    agent.destroy();
    expect(blocks).toEqual([...blocks].sort((one, other) => one - other));
  });

  it("serves what a client has written, also if the replica does not have it yet", async () => {
    await used(true);
    const bids = `${stack.apiUrl}/intents/${await openIntent()}/bids`;
    // The index's tables and the store's are read in one query, on the replica.
    expect((await fetch(bids)).status).toBe(200);
    await pause();
    const bid = {
      solver: actor(3).address,
      amount_in: "1",
      amount_out: "123456789",
      fee: "0",
      valid_until: "4000000000",
    };
    const headers = { "content-type": "application/json" };
    expect((await fetch(bids, { method: "POST", headers, body: JSON.stringify(bid) })).status).toBe(201);
    expect(await (await fetch(bids)).text()).toContain("123456789");
    await resume();
    await used(true);
  });

  it("serves every request while the replica goes away and comes back", { timeout: 90_000 }, async () => {
    await used(true);
    const statuses = new Set<number>();
    let isDone = false;
    const load = (async () => {
      for (let id = 1; !isDone; id = (id % 3) + 1) statuses.add(await readAgent(id));
    })();
    await replica.halt();
    await used(false);
    await replica.resume();
    await used(true);
    isDone = true;
    await load;
    expect([...statuses]).toEqual([200]);
  });
});
