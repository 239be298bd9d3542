import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../stack/local/sample/people";
import { type EventConnection, FollowingClient, openEvents, type WireMessage } from "../support/event-client";
import { fund, ownAccount } from "../support/own-accounts";
import { timeStack, type WrittenStack } from "../support/shared-stack";

const [owner, agent] = [ownAccount("owner of live events"), ownAccount("agent of live events")];

describe("live events", () => {
  let stack: WrittenStack;
  const clients: FollowingClient[] = [];
  const streams: EventConnection[] = [];

  beforeAll(async () => {
    stack = await timeStack();
    await fund(stack.client, owner, agent);
    await register("first");
  });
  afterAll(() => stack?.release());
  afterEach(() => {
    for (const client of clients.splice(0)) client.cut();
    for (const stream of streams.splice(0)) stream.cut();
  });

  const register = (name: string) => stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const limit = (amount: bigint) =>
    stack.write(owner, "PolicyModule", "setSpendLimit", [stack.contracts.TestDollar, amount]);

  /** The event log as GraphQL returns it, to compare streams with. */
  const logged = async (wanted: (row: { contract: string; name: string; args: string }) => boolean = () => true) =>
    (await stack.rows("eventLog"))
      .filter(wanted)
      .map(({ id, blockHash }) => `${id}-${blockHash.slice(2, 18)}`)
      .sort();

  const follow = async (query = "from_block=0", lenient = false) => {
    const client = new FollowingClient(`${stack.apiUrl}/events?${query}`, lenient);
    clients.push(client);
    await client.connect();
    return client;
  };
  const agrees = async (client: FollowingClient, wanted?: Parameters<typeof logged>[0]) => {
    const truth = await logged(wanted);
    await expect.poll(() => client.held).toEqual(truth);
    expect(client.problems).toEqual([]);
  };
  const ask = (path: string, init?: RequestInit) => fetch(`${stack.apiUrl}${path}`, init);

  it("come in chain order, past and new ones, with all their fields", async () => {
    const token = stack.contracts.TestDollar;
    const client = await follow();
    await limit(5n);
    await agrees(client);
    const { blockHash, txHash, blockTimestamp } = (await stack.rows("eventLog")).at(-1) ?? {};
    expect(client.events.at(-1)).toEqual({
      id: client.lastId,
      event: "SpendLimitSet",
      contract: "PolicyModule",
      args: { account: owner.address.toLowerCase(), token, maxPerDay: "5" },
      block_number: String(await stack.client.getBlockNumber()),
      block_hash: blockHash,
      log_index: 0,
      timestamp: blockTimestamp,
      tx_hash: txHash,
      summary: `${owner.address.toLowerCase()} may spend at most 0.000005 tUSD a day`,
      finality: "pending",
    });
  });

  it("are new ones only by default, with heartbeats while idle", async () => {
    const client = await follow("");
    await expect.poll(() => client.lastId).toBe((await logged()).at(-1));
    await expect.poll(() => client.connection?.comments.length ?? 0).toBeGreaterThan(2);
    expect(client.held).toEqual([]);
    await register("from now on");
    await expect.poll(() => client.held).toEqual((await logged()).slice(-1));
  });

  it("can be filtered by name, contract, account and agent, past and new ones", async () => {
    const address = owner.address.toLowerCase();
    const [first] = (await stack.rows("agent")).filter(({ metadataUri }) => metadataUri === "first");
    const agentId = first?.agentId;
    const nextMerchant = String(Number((await stack.rows("merchant")).at(-1)?.merchantId) + 1);
    const cases: [string, Parameters<typeof logged>[0]][] = [
      ["name=AgentRegistered", ({ name }) => name === "AgentRegistered"],
      ["contract=PolicyModule", ({ contract }) => contract === "PolicyModule"],
      [`account=${owner.address}`, ({ args }) => args.includes(address)],
      [
        `agent=${agentId}`,
        ({ contract, args }) => contract === "AgentRegistry" && JSON.parse(args).agentId === agentId,
      ],
      [`merchant_id=${nextMerchant}`, ({ args }) => JSON.parse(args).merchantId === nextMerchant],
      ["intent_id=1", ({ args }) => JSON.parse(args).intentId === "1"],
      ["name=AgentRegistered&contract=PolicyModule", () => false],
    ];
    const filtered = await Promise.all(cases.map(([query]) => follow(`from_block=0&${query}`)));
    await limit(6n);
    await register("filtered");
    await stack.write(owner, "CommerceRegistry", "registerMerchant", [owner.address, "shop", hashOf("shop")]);
    for (const [place, client] of filtered.entries()) await agrees(client, cases[place]?.[1]);
  });

  it("resume after Last-Event-ID or after, and the header takes precedence", async () => {
    const client = await follow();
    await agrees(client);
    client.cut();
    const lastId = client.lastId ?? "";
    await register("while away");
    await limit(7n);
    await client.connect();
    await agrees(client);
    const byQuery = await follow(`after=${lastId}`);
    await expect.poll(() => byQuery.held).toEqual((await logged()).slice(-2));
    const both: WireMessage[] = [];
    streams.push(
      await openEvents(`${stack.apiUrl}/events?after=${(await logged())[0]}`, {
        lastEventId: lastId,
        onMessage: (message) => both.push(message) < 100,
      }),
    );
    await expect.poll(() => both.filter(({ event }) => event === "message").length).toBe(2);
  });

  it("of orphaned blocks are removed, newest first, before events of the new branch come", async () => {
    const [client, filtered] = await Promise.all([follow(), follow("from_block=0&name=SpendLimitSet")]);
    const snapshot = await stack.client.snapshot();
    await register("lost");
    await limit(8n);
    await limit(9n);
    await agrees(client);
    await agrees(filtered, ({ name }) => name === "SpendLimitSet");
    const lost = client.held.slice(-3);
    await stack.client.revert({ id: snapshot });
    await register("kept");
    await stack.client.mine({ blocks: 4 });
    await expect.poll(() => client.removed).toEqual([...lost].reverse());
    await agrees(client);
    await agrees(filtered, ({ name }) => name === "SpendLimitSet");
    expect(filtered.removed).toEqual(lost.slice(1).reverse());
  });

  it("that a reorg removes while a client is disconnected are removed when it reconnects", async () => {
    const [client, stays] = await Promise.all([follow(), follow()]);
    await register("soon gone");
    await limit(10n);
    await agrees(client);
    client.cut();
    await stack.client.request({ method: "anvil_reorg", params: [2, []] } as never);
    await stack.client.mine({ blocks: 2 });
    await limit(11n);
    await agrees(stays);
    await client.connect();
    await agrees(client);
    expect(client.removed).toEqual(stays.removed);
    expect(client.removed).toHaveLength(2);
  });

  it("become finalized once they can't be removed, with a finalized message", async () => {
    const client = await follow();
    await agrees(client);
    const block = BigInt(String(client.events.at(-1)?.block_number));
    await stack.client.mine({ blocks: 70 });
    await expect.poll(() => client.finalizedBlock).toBeGreaterThanOrEqual(block);
    const again = await follow();
    await agrees(again);
    expect(new Set(again.events.map(({ finality }) => finality))).toEqual(new Set(["finalized"]));
    client.cut();
    await limit(15n);
    await client.connect();
    await agrees(client);
  });

  it("are rejected with an error for an invalid request", async () => {
    const refused: [string, number, RegExp][] = [
      ["name=agentregistered", 400, /^name: must be one of AgentRegistered, /],
      ["contract=Nowhere", 400, /^contract: must be one of AgentRegistry, /],
      ["intent_id=x", 400, /^intent_id: must be a whole number/],
      ["agent=bob", 400, /^agent: must be an id in decimal digits, or an address/],
      ["merchant_id=-1", 400, /^merchant_id: must be a whole number/],
      ["account=1", 400, /^account: must be an address/],
      ["from_block=latest", 400, /^from_block: must be a whole number/],
      ["after=1", 400, /^after: must be the id of a message/],
      ["after=", 400, /^after: is empty/],
      ["name=AgentRegistered&name=AgentRegistered", 400, /^name: is given more than once/],
      [
        "after=000000000001-000000-0000000000000000&from_block=1",
        400,
        /^after: can't be used together with from_block/,
      ],
      ["after=000000000001-000000-ffffffffffffffff", 410, /^Unknown or expired event id/],
      ["after=900000000001-000000-ffffffffffffffff", 410, /^Unknown or expired event id/],
    ];
    for (const [query, status, sentence] of refused) {
      const response = await ask(`/events?${query}`);
      expect(response.status, query).toBe(status);
      expect(((await response.json()) as { error: string }).error, query).toMatch(sentence);
    }
    const header = await ask("/events", { headers: { "last-event-id": "x" } });
    expect([header.status, await header.json()]).toEqual([
      400,
      { error: "last-event-id: must be the id of a message of the event stream", code: "invalid_input" },
    ]);
    const posted = await ask("/events", { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  it("have headers against proxy buffering, also for HEAD, which opens no stream", async () => {
    const expected = {
      "content-type": "text/event-stream; charset=UTF-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "*",
    };
    const head = await ask("/events?name=AgentRegistered", { method: "HEAD" });
    expect([head.status, Object.fromEntries(head.headers)]).toEqual([200, expect.objectContaining(expected)]);
    expect(head.headers.has("etag")).toBe(false);
    expect((await ask("/events?name=x", { method: "HEAD" })).status).toBe(400);
    const { connection } = await follow();
    expect(connection?.response.headers).toMatchObject(expected);
    const preflight = await ask("/events", {
      method: "OPTIONS",
      headers: {
        origin: "https://example.org",
        "access-control-request-method": "GET",
        "access-control-request-headers": "last-event-id",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("last-event-id");
  });
});
